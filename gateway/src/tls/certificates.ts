import { createSecureContext, type SecureContext } from 'node:tls';
import { compileHosts } from '@guard/config/matching/host';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';

/** The certificates of a listener, found by the name that a visitor asks for (RFC 6066 section 3). */
export interface Certificates {
  /** The certificate for a visitor who names no host, or a host without a certificate. */
  readonly first: TlsCertificate;
  readonly contextOf: (serverName: string) => SecureContext;
  /** Whether there is a certificate for this host. A port in `host` is ignored. */
  readonly isFor: (host: string) => boolean;
}

/** Loads certificates. Undefined when there are none. Throws when the TLS library refuses one. */
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
  return {
    first,
    contextOf: (serverName) => match(serverName) ?? fallback,
    isFor: (host) => match(host) !== undefined,
  };
}

/**
 * The time at which each certificate expires, in seconds since 1970. The key is the first host of the certificate. When
 * two certificates have the same first host, the result has the earlier time.
 */
export function certificateExpiry(
  certificates: readonly TlsCertificate[],
): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { hosts, expiresAt } of certificates) {
    const host = hosts[0] ?? '';
    const end = Math.floor(expiresAt / 1000);
    ends.set(host, Math.min(end, ends.get(host) ?? end));
  }
  return ends;
}
