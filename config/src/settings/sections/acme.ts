import { z } from 'zod';
import { parseIp } from '../../net/cidr.ts';
import { refuse } from '../problems/refuse.ts';
import { HostPattern } from '../values/values.ts';

/** Certificates that an authority issues by ACME (RFC 8555). */

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

/**
 * The number is limited, because each host has its own certificate, and instances share all certificates as one text.
 */
export const MAX_ACME_HOSTS = 100;

const EXPECTED_HOST =
  'expected an exact host name: an authority proves each name by a connection to it, which a wildcard, an address or a name without a dot does not allow; take a certificate from files for it';

/** Whether an authority can find a host by this name, and can issue a certificate for the name. */
export function canBeIssued(host: string): boolean {
  const isName = host.includes('.') && !host.includes('*') && !host.includes('_');
  return isName && !host.startsWith('[') && parseIp(host) === undefined;
}

const EXPECTED_TERMS =
  'expected true, by which you accept the terms of the authority (those of Let’s Encrypt: https://letsencrypt.org/repository/)';

const AcmeHost = HostPattern.transform((host, context) =>
  canBeIssued(host) ? host : refuse(context, EXPECTED_HOST),
);

export const Acme = z.strictObject({
  /** The mail address of the account's owner. The authority sends its messages there. */
  email: z.email('expected an address such as ops@shop.example'),
  /** The user must accept the terms of the authority. Guard does not accept them for the user. */
  accept_terms: z
    .boolean()
    .default(false)
    .refine((isAccepted) => isAccepted, EXPECTED_TERMS),
  /** The URL of the authority's directory (RFC 8555 section 7.1.1). */
  directory: z
    .url({ protocol: /^https$/, error: 'expected a URL that begins with https://' })
    .default(LETS_ENCRYPT),
  /** These hosts are used instead of the exact names of all sites. */
  hosts: z.array(AcmeHost).min(1).max(MAX_ACME_HOSTS).optional(),
});
export type AcmeSettings = Readonly<z.infer<typeof Acme>>;
