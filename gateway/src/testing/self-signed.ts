import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';

/** A certificate for these hosts, signed with its own key. openssl makes it.. */
export function selfSigned(...hosts: readonly string[]): TlsCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'guard-cert-'));
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const names = hosts.map((host) => `DNS:${host}`).join(',');
    const opensslArgs =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' ');
    execFileSync(
      'openssl',
      [...opensslArgs, '-keyout', key, '-out', cert, '-subj', `/CN=${hosts[0] ?? ''}`].concat([
        '-addext',
        `subjectAltName=${names}`,
      ]),
      { stdio: 'ignore' },
    );
    const expiresAt = Date.now() + 2 * 86_400_000;
    return { cert: readFileSync(cert), key: readFileSync(key), hosts, expiresAt };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
