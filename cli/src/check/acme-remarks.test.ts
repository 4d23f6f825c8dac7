import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { runCommand } from '../testing/run-command.ts';

const file = join(testFolder(), 'guard.yaml');

/** The remarks about listeners and hosts of a valid file, without positions. */
async function remarks(settings: string): Promise<string[]> {
  writeFileSync(file, settings);
  const { code, stdout } = await runCommand('check', file);
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.replace(/^.*?: (?=warning|hint)/, ''));
  return lines.filter((line) => /^\w+: (listen|sites)/.test(line));
}

describe('tls.acme', () => {
  const settingsOf = (listen: string, hosts: string) => `version: 1
listen: ${listen}
tls: { acme: { email: ops@shop.example, accept_terms: true } }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
store: { engine: memory, path: ./store }
organisations: [{ id: acme }]
sites: [{ hosts: ${hosts}, organisation: acme, origin: 'http://127.0.0.1:3000', skip: [/health, /healthz] }]
`;

  test('a port that the authority does not use is a hint, and a host without a certificate is a warning', async () => {
    const plain = '{ gateway: 0.0.0.0:8080, gateway_tls: 0.0.0.0:8443 }';
    const hosts = "[shop.example, '*.shop.example', 127.0.0.1]";
    expect(await remarks(settingsOf(plain, hosts))).toEqual([
      'hint: listen.gateway: the authority of tls.acme connects to port 80 of each host; forward that port to port 8080',
      'warning: sites[0].hosts[1]: no certificate for *.shop.example: none is issued for a wildcard by http-01 or tls-alpn-01; take one from files (tls.certificates), or name its hosts one by one',
    ]);
  });

  test('without a plain gateway the authority uses port 443; the usual ports cause no remark', async () => {
    expect(await remarks(settingsOf('{ gateway_tls: 0.0.0.0:8443 }', '[shop.example]'))).toEqual([
      'hint: listen.gateway_tls: the authority of tls.acme connects to port 443 of each host; forward that port to port 8443',
    ]);
    const usualPorts = '{ gateway: 0.0.0.0:80, gateway_tls: 0.0.0.0:443 }';
    expect(await remarks(settingsOf(usualPorts, '[shop.example]'))).toEqual([]);
  });
});
