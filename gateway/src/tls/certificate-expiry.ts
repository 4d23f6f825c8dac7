import type { TlsCertificate } from '@guard/config/settings/tls';

/** By the first host of each certificate, when it ends, in seconds since 1970. The earliest, where two share a host. */
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
