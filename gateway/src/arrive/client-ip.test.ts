import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { get } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/** What the validator is told, and what the origin hears, of a request with these headers. */
async function through(trustedProxies: readonly string[], ...headers: readonly string[]) {
  const origin = await startOrigin();
  const { port, asked } = await startGateway({ origin: origin.address, trustedProxies });
  await get(port, '/', ...headers);
  return { ip: asked[0]?.ip, url: asked[0]?.url, origin: origin.arrived[0]?.headers ?? {} };
}

const PEER = '127.0.0.1/32';

describe('nothing an untrusted peer sends is believed', () => {
  test.each([
    ['X-Forwarded-For: 198.51.100.7'],
    ['Forwarded: for=198.51.100.7;proto=https'],
    ['X-Real-IP: 198.51.100.7'],
    ['X_Forwarded_For: 198.51.100.7'],
    ['X-Forwarded-Proto: https'],
    ['X-Forwarded-Host: evil.example'],
    ['CF-Connecting-IP: 198.51.100.7'],
    ['X-Original-URL: /admin'],
    ['X-Rewrite-URL: /admin'],
  ])('%s', async (header) => {
    const { ip, url, origin } = await through([], header);
    expect(ip).toBe('127.0.0.1');
    expect(url).toBe('http://shop.example/');
    expect(origin['x-forwarded-for']).toBe('127.0.0.1');
    expect(origin['x-forwarded-proto']).toBe('http');
    expect(origin['x-forwarded-host']).toBe('shop.example');
    expect(JSON.stringify(origin)).not.toMatch(/198\.51|evil|admin/);
  });
});

describe('a trusted peer is believed, and its chain walked from the right', () => {
  test.each<{ trusted: string[]; chain: string; ip: string }>([
    { trusted: [PEER], chain: '198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '10.9.9.9, 198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '6.6.6.6, 198.51.100.7, 10.0.0.2', ip: '198.51.100.7' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '10.0.0.3,10.0.0.2', ip: '10.0.0.3' },
    { trusted: [PEER], chain: '198.51.100.7:4711', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '[2001:db8::1]:443', ip: '2001:db8::1' },
    { trusted: [PEER], chain: '2001:DB8:0:0::1', ip: '2001:db8::1' },
    { trusted: [PEER], chain: '::ffff:198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '', ip: '127.0.0.1' },
    { trusted: [PEER], chain: 'unknown', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '198.51.100.7, _hidden', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '0x7f.1', ip: '127.0.0.1' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '6.6.6.6, nonsense, 10.0.0.2', ip: '10.0.0.2' },
    { trusted: [PEER], chain: `${'9.9.9.9,'.repeat(900)}198.51.100.7`, ip: '198.51.100.7' },
  ])('X-Forwarded-For: $chain → $ip', async ({ trusted, chain, ip }) => {
    const seen = await through(trusted, `X-Forwarded-For: ${chain}`);
    expect(seen.ip).toBe(ip);
    expect(seen.origin['x-forwarded-for']).toBe(`${chain}, 127.0.0.1`);
  });

  test.each([
    { value: 'for=198.51.100.7;proto=https', ip: '198.51.100.7', scheme: 'https' },
    { value: 'for="[2001:db8::1]:99"; proto=http', ip: '2001:db8::1', scheme: 'http' },
    { value: 'for=6.6.6.6, For=198.51.100.7', ip: '198.51.100.7', scheme: 'http' },
    { value: 'for="6.6.6.6, 7.7.7.7"', ip: '127.0.0.1', scheme: 'http' },
    { value: 'by=10.0.0.1', ip: '127.0.0.1', scheme: 'http' },
  ])('RFC 7239: Forwarded: $value → $ip over $scheme', async ({ value, ip, scheme }) => {
    const seen = await through([PEER], `Forwarded: ${value}`);
    expect(seen.ip).toBe(ip);
    expect(seen.url).toBe(`${scheme}://shop.example/`);
  });

  test.each([
    { chain: '198.51.100.7', proto: 'https', scheme: 'https' },
    // The visitor spoke http to the proxy and invented the first entries.
    { chain: '6.6.6.6, 198.51.100.7', proto: 'https, http', scheme: 'http' },
    { chain: '198.51.100.7, 10.0.0.2', proto: 'https, http', scheme: 'https' },
    { chain: '198.51.100.7, 10.0.0.2', proto: 'https', scheme: 'https' },
    { chain: '198.51.100.7', proto: 'gopher', scheme: 'http' },
  ])('the scheme noted with the address counts: $chain and $proto → $scheme', async (row) => {
    const lines = [`X-Forwarded-For: ${row.chain}`, `X-Forwarded-Proto: ${row.proto}`];
    const seen = await through([PEER, '10.0.0.0/8'], ...lines);
    expect(seen.url).toBe(`${row.scheme}://shop.example/`);
    expect(seen.origin['x-forwarded-proto']).toBe(row.scheme);
  });
});

test('a peer on a unix socket is trusted', async () => {
  const origin = await startOrigin();
  const socketPath = join(mkdtempSync(join(tmpdir(), 'guard-')), 'gateway.sock');
  const { asked } = await startGateway({ origin: origin.address, unixPath: socketPath });
  const headers = { host: 'shop.example', 'x-forwarded-for': '198.51.100.7' };
  await new Promise((resolve) => {
    request({ socketPath, headers }, (res) => res.resume().on('end', resolve)).end();
  });
  expect(asked[0]?.ip).toBe('198.51.100.7');
});
