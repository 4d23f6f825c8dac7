import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { Acme } from './acme.ts';
import { readBytes } from '../values/files.ts';
import { HostPattern } from '../values/values.ts';

/**
 * Certificates of the gateway's https listener. They are read together with the settings, so a missing file or a wrong
 * key is reported as a problem of the settings. When a file changes, the settings are read again. The loader has made
 * the paths absolute.
 */

/** Largest certificate or key file, in bytes. */
const MAX_PEM_BYTES = 256 * 1024;
/** The largest number of certificates. A TLS handshake selects one of them. */
const MAX_CERTIFICATES = 1000;

type ParsedPem<T> =
  | { readonly kind: 'parsed'; readonly pem: Buffer; readonly value: T }
  /** `reason` is a phrase, such as "no such file". */
  | { readonly kind: 'refused'; readonly reason: string };

function readPem<T>(path: string, what: string, parse: (pem: Buffer) => T): ParsedPem<T> {
  const file = readBytes(path, MAX_PEM_BYTES);
  if (file.kind === 'unreadable') return { kind: 'refused', reason: file.reason };
  try {
    return { kind: 'parsed', pem: file.bytes, value: parse(file.bytes) };
  } catch {
    // The message of the library could contain a part of the file.
    return { kind: 'refused', reason: `a file that holds no ${what}` };
  }
}

/** A certificate. The certificate chain and its key are in PEM. */
export interface TlsCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Host patterns in the form of `sites[].hosts`, in lower case. */
  readonly hosts: readonly string[];
  /** The end of the certificate, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A certificate that an authority issued. */
export interface IssuedCertificate extends TlsCertificate {
  /** The start of the certificate, in milliseconds since the epoch. */
  readonly startsAt: number;
}

const Certificate = z
  .strictObject({
    /** The file in PEM with the certificate, and then its chain. */
    cert: z.string().min(1),
    /** The file in PEM with the key, without a passphrase. */
    key: z.string().min(1),
    /** These hosts are used instead of the names in the certificate. */
    hosts: z.array(HostPattern).min(1).optional(),
  })
  .transform(({ cert, key, hosts }, context): TlsCertificate => {
    const certificate = readPem(cert, 'certificate in PEM', (pem) => new X509Certificate(pem));
    const privateKey = readPem(key, 'private key in PEM without a passphrase', createPrivateKey);
    if (certificate.kind === 'refused') refuse('cert', 'a PEM file of certificates', certificate);
    if (privateKey.kind === 'refused') refuse('key', 'a PEM file of a private key', privateKey);
    if (certificate.kind === 'refused' || privateKey.kind === 'refused') return z.NEVER;
    if (!isKeyOf(certificate.value, privateKey.value)) {
      refuse('key', 'the private key of the certificate in `cert`', {
        reason: 'the key of another one',
      });
      return z.NEVER;
    }
    return {
      cert: certificate.pem,
      key: privateKey.pem,
      hosts: hosts ?? namesOf(certificate.value),
      expiresAt: certificate.value.validToDate.getTime(),
    };

    function refuse(name: string, expected: string, { reason }: { readonly reason: string }): void {
      const message = `expected ${expected}, relative to this file; there is ${reason}`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

function isKeyOf(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.checkPrivateKey(key);
  } catch {
    return false;
  }
}

/** Reads a certificate and its key. Undefined if one of the two files is unreadable or if they do not match. */
export function readCertificate(
  pem: { readonly cert: string; readonly key: string },
  hosts: readonly string[],
): IssuedCertificate | undefined {
  try {
    const certificate = new X509Certificate(pem.cert);
    if (!isKeyOf(certificate, createPrivateKey(pem.key))) return undefined;
    return {
      cert: Buffer.from(pem.cert),
      key: Buffer.from(pem.key),
      hosts,
      startsAt: certificate.validFromDate.getTime(),
      expiresAt: certificate.validToDate.getTime(),
    };
  } catch {
    return undefined;
  }
}

/** The DNS names in lower case (RFC 6125 section 6.4: only the names in subjectAltName). */
function namesOf({ subjectAltName }: X509Certificate): string[] {
  const entries = subjectAltName?.split(', ') ?? [];
  return entries
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice(4).toLowerCase());
}

export const Tls = z
  .strictObject({
    /** The first certificate is used for visitors who name no host, or a host without a certificate. */
    certificates: z.array(Certificate).min(1).max(MAX_CERTIFICATES).default([]),
    acme: Acme.optional(),
  })
  .refine(({ certificates, acme }) => certificates.length > 0 || acme !== undefined, {
    error: 'expected certificates, or acme, by which an authority issues them',
  });
