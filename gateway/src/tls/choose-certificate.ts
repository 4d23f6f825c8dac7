import { createSecureContext, type SecureContext } from 'node:tls';
import { compileHosts } from '@guard/config/matching/host';
import type { TlsCertificate } from '@guard/config/settings/tls';

/** The certificates of a listener, by the name that a visitor asks for (RFC 6066 section 3). */
export interface Certificates {
  /** Shown to who names no host, or one that no certificate is for. */
  readonly first: TlsCertificate;
  readonly contextOf: (serverName: string) => SecureContext;
}

/** Loads certificates. Undefined without any; throws when the TLS library refuses one. */
export function loadCertificates(
  certificates: readonly TlsCertificate[],
): Certificates | undefined {
  const contexts = certificates.map(({ cert, key, hosts }) => ({
    hosts,
    value: createSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
  }));
  const [first] = certificates;
  const fallback = contexts[0]?.value;
  if (first === undefined || fallback === undefined) return undefined;
  const match = compileHosts(contexts);
  return { first, contextOf: (serverName) => match(serverName) ?? fallback };
}
