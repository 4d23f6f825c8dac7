import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GatewaySettings } from '../base/options.ts';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { get } from '../testing/raw-client.ts';

/** Sends one request. Returns the address and URL in the question, and the header fields at the origin. */
async function visitOnce(trustedProxies: readonly string[], ...headers: readonly string[]) {
  const { visit } = await startBehindProxies(trustedProxies);
  return visit(...headers);
}

/** One gateway, and functions that send one request to it. */
async function startBehindProxies(
  trustedProxies: readonly string[],
  forwardedHeader?: GatewaySettings['forwardedHeader'],
) {
  const { origin, ...rig } = await startGatewayWithOrigin({ trustedProxies, forwardedHeader });
  const visit = async (...headers: readonly string[]) => {
    await get(rig.port, '/', ...headers);
    const { ip, url } = rig.questions.at(-1) ?? {};
    return { ip, url, origin: origin.requests.at(-1)?.headers ?? {} };
  };
  /** Sends a request from another address of this machine. Returns the visitor's address in the question. */
  const visitFrom = async (localAddress: string, ...headers: readonly string[]) => {
    const options = { port: rig.port, localAddress, agent: false };
    const fields = ['Host: shop.example', ...headers].map((line) => line.split(': '));
    await new Promise((resolve) => {
      request(
        { ...options, headers: Object.fromEntries(fields) as Record<string, string> },
        (res) => res.resume().on('end', resolve),
      ).end();
    });
    return rig.questions.at(-1)?.ip;
  };
  return { visit, visitFrom, rig };
}

const PEER = '127.0.0.1/32';

/** Values of Forwarded with which a visitor tries to hide the element that the proxy adds after the visitor’s text. */
const OPEN_QUOTES = [
  'for=66.249.66.1;by="',
  'for=66.249.66.1;by="\\',
  'for="',
  'for="66.249.66.1',
  'for=66.249.66.1, for="x',
  'for="a\\"',
  '"',
];

describe('no forwarded header of an untrusted peer is believed', () => {
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
    const { ip, url, origin } = await visitOnce([], header);
    expect(ip).toBe('127.0.0.1');
    expect(url).toBe('http://shop.example/');
    expect(origin['x-forwarded-for']).toBe('127.0.0.1');
    expect(origin['x-forwarded-proto']).toBe('http');
    expect(origin['x-forwarded-host']).toBe('shop.example');
    expect(JSON.stringify(origin)).not.toMatch(/198\.51|evil|admin/);
  });
});

describe('the chain of a trusted peer is read from the right', () => {
  test.each<{ trusted: string[]; chain: string; ip: string }>([
    { trusted: [PEER], chain: '198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '10.9.9.9, 198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '6.6.6.6, 198.51.100.7, 10.0.0.2', ip: '198.51.100.7' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '10.0.0.3,10.0.0.2', ip: '10.0.0.3' },
    { trusted: [PEER], chain: '198.51.100.7:4711', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '[2001:db8::1]:443', ip: '2001:db8::1' },
    { trusted: [PEER], chain: '198.51.100.7:1@203.0.113.9', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '198.51.100.7:', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '198.51.100.7:_gazonk', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '[2001:db8::1]', ip: '2001:db8::1' },
    { trusted: [PEER], chain: '[2001:db8::1]:x', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '[2001:db8::1]8', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '2001:DB8:0:0::1', ip: '2001:db8::1' },
    { trusted: [PEER], chain: '::ffff:198.51.100.7', ip: '198.51.100.7' },
    { trusted: [PEER], chain: '', ip: '127.0.0.1' },
    { trusted: [PEER], chain: 'unknown', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '198.51.100.7, _hidden', ip: '127.0.0.1' },
    { trusted: [PEER], chain: '0x7f.1', ip: '127.0.0.1' },
    { trusted: [PEER, '10.0.0.0/8'], chain: '6.6.6.6, nonsense, 10.0.0.2', ip: '10.0.0.2' },
    { trusted: [PEER], chain: `${'9.9.9.9,'.repeat(900)}198.51.100.7`, ip: '198.51.100.7' },
  ])('X-Forwarded-For: $chain → $ip', async ({ trusted, chain, ip }) => {
    const reading = await visitOnce(trusted, `X-Forwarded-For: ${chain}`);
    expect(reading.ip).toBe(ip);
    expect(reading.origin['x-forwarded-for']).toBe(`${chain}, 127.0.0.1`);
  });

  test.each([
    { value: 'for=198.51.100.7;proto=https', ip: '198.51.100.7', scheme: 'https' },
    { value: 'for="[2001:db8::1]:99"; proto=http', ip: '2001:db8::1', scheme: 'http' },
    { value: 'for=6.6.6.6, For=198.51.100.7', ip: '198.51.100.7', scheme: 'http' },
    { value: 'for="6.6.6.6, 7.7.7.7"', ip: '127.0.0.1', scheme: 'http' },
    {
      value: 'for="198.51.100.7:80\\\\", for="a\\", for=6.6.6.6"',
      ip: '127.0.0.1',
      scheme: 'http',
    },
    { value: 'for=6.6.6.6;for=198.51.100.7', ip: '127.0.0.1', scheme: 'http' },
    { value: 'by=10.0.0.1', ip: '127.0.0.1', scheme: 'http' },
  ])('RFC 7239: Forwarded: $value → $ip over $scheme', async ({ value, ip, scheme }) => {
    const seenIp = await visitOnce([PEER], `Forwarded: ${value}`);
    expect(seenIp.ip).toBe(ip);
    expect(seenIp.url).toBe(`${scheme}://shop.example/`);
  });

  test.each([
    { chain: '198.51.100.7', proto: 'https', scheme: 'https' },
    // The visitor spoke http to the proxy and invented the first entries.
    { chain: '6.6.6.6, 198.51.100.7', proto: 'https, http', scheme: 'http' },
    { chain: '198.51.100.7, 10.0.0.2', proto: 'https, http', scheme: 'https' },
    { chain: '198.51.100.7, 10.0.0.2', proto: 'https', scheme: 'https' },
    { chain: '198.51.100.7', proto: 'gopher', scheme: 'http' },
  ])(
    'the scheme comes from the proxy that added the visitor’s address: $chain and $proto → $scheme',
    async (row) => {
      const lines = [`X-Forwarded-For: ${row.chain}`, `X-Forwarded-Proto: ${row.proto}`];
      const seenIp = await visitOnce([PEER, '10.0.0.0/8'], ...lines);
      expect(seenIp.url).toBe(`${row.scheme}://shop.example/`);
      expect(seenIp.origin['x-forwarded-proto']).toBe(row.scheme);
    },
  );
});

describe('RFC 7239 section 4: a visitor’s element cannot hide the element of a proxy', () => {
  const PROXY_ELEMENT = 'for="[2001:db8::7]:4711";proto=https;by="_a,b"';
  test.each(OPEN_QUOTES)('%s', async (header) => {
    const { visit } = await startBehindProxies([PEER]);
    const [asLine, inLine] = [
      await visit(`Forwarded: ${header}`, `Forwarded: ${PROXY_ELEMENT}`),
      await visit(`Forwarded: ${header}, ${PROXY_ELEMENT}`),
    ];
    for (const seenIp of [asLine, inLine]) {
      expect([seenIp.ip, seenIp.url]).toEqual(['2001:db8::7', 'https://shop.example/']);
    }
  });

  test('the longest header does not hide the element of the proxy either', async () => {
    const signs = ['"', '\\"', ',"', '\\'].map((sign) => sign.repeat(30_000 / sign.length));
    for (const longValue of signs) {
      const seenIp = await visitOnce(
        [PEER],
        `Forwarded: ${longValue}`,
        `Forwarded: ${PROXY_ELEMENT}`,
      );
      expect(seenIp.ip).toBe('2001:db8::7');
    }
  });
});

describe('X-Forwarded-For and Forwarded that name different visitors', () => {
  const XFF = 'X-Forwarded-For: 198.51.100.7';
  const FORWARDED = 'Forwarded: for=203.0.113.9;proto=https';
  const HOST = 'X-Forwarded-Host: other.example';

  test.each([
    { alone: XFF, ip: '198.51.100.7', kept: undefined, chain: '198.51.100.7, 127.0.0.1' },
    { alone: FORWARDED, ip: '203.0.113.9', kept: FORWARDED, chain: '203.0.113.9, 127.0.0.1' },
  ])(
    'the header that came alone before is the header that the proxy writes: $alone',
    async ({ alone, ...expected }) => {
      const { visit, rig } = await startBehindProxies([PEER]);
      await visit(alone);
      const { ip, origin } = await visit(XFF, FORWARDED, HOST);
      expect(ip).toBe(expected.ip);
      expect(origin['x-forwarded-for']).toBe(expected.chain);
      expect(origin.forwarded).toBe(expected.kept?.slice('Forwarded: '.length));
      expect(origin['x-forwarded-host']).toBe(alone === XFF ? 'other.example' : 'shop.example');
      expect(rig.counterValue('guard_gateway_forwarded_undecided_total', '')).toBe(0);
    },
  );

  test('until Guard knows which header the proxy writes, only the end on which both agree is used, and the log reports it', async () => {
    const { visit, rig } = await startBehindProxies([PEER, '10.0.0.0/8']);
    const firstVisit = await visit(XFF, FORWARDED, HOST);
    expect([firstVisit.ip, firstVisit.url]).toEqual(['127.0.0.1', 'http://shop.example/']);
    expect(firstVisit.origin).not.toHaveProperty('forwarded');
    expect(firstVisit.origin['x-forwarded-for']).toBe('127.0.0.1');
    expect(firstVisit.origin['x-forwarded-host']).toBe('shop.example');
    const further = await visit('X-Forwarded-For: 6.6.6.6, 10.0.0.2', 'Forwarded: for=10.0.0.2');
    expect(further.ip).toBe('10.0.0.2');
    expect((await visit(XFF, 'Forwarded: for="198.51.100.7:80"')).ip).toBe('198.51.100.7');
    // One proxy writes X-Forwarded-For, and another one writes Forwarded.
    await visit(XFF);
    await visit(FORWARDED);
    expect((await visit(XFF, FORWARDED)).ip).toBe('127.0.0.1');
    expect(rig.counterValue('guard_gateway_forwarded_undecided_total', '')).toBe(3);
    const lines = rig.logEntries.filter(({ event }) => event === 'gateway_forwarded_undecided');
    expect(lines.map(({ fields }) => fields['peer'])).toEqual(['127.0.0.1']);
  });

  test('with more than 1,024 proxies, only the proxy with the oldest last request is forgotten', async () => {
    const { visitFrom } = await startBehindProxies(['127.0.0.0/8']);
    await visitFrom('127.0.0.1', XFF);
    const otherPeers = Array.from({ length: 1_024 }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
    for (const otherPeer of otherPeers.slice(0, -1)) await visitFrom(otherPeer, XFF);
    const bothHeaders = [XFF, FORWARDED];
    expect(await visitFrom('127.0.0.1', ...bothHeaders)).toBe('198.51.100.7');
    await visitFrom('127.1.3.255', XFF);
    for (const knownPeer of ['127.0.0.1', '127.1.0.1', '127.1.3.255']) {
      expect(await visitFrom(knownPeer, ...bothHeaders)).toBe('198.51.100.7');
    }
    expect(await visitFrom('127.1.0.0', ...bothHeaders)).toBe('127.1.0.0');
  });

  test.each([
    { setting: 'x-forwarded-for', ip: '198.51.100.7', other: FORWARDED },
    { setting: 'forwarded', ip: '203.0.113.9', other: XFF },
  ] as const)(
    'forwarded_header: $setting decides which of the two headers is read',
    async ({ setting, ip, other }) => {
      const { visit } = await startBehindProxies([PEER], setting);
      const proto = 'X-Forwarded-Proto: https';
      const protoOnly = await visit(other, HOST, proto);
      expect(protoOnly.ip).toBe('127.0.0.1');
      expect(protoOnly.origin['x-forwarded-for']).toMatch(/^127\.0\.0\.1$/);
      expect(protoOnly.origin).not.toHaveProperty('forwarded');
      const { origin } = await visit(XFF, FORWARDED, HOST, proto);
      const isX = setting === 'x-forwarded-for';
      expect(origin['x-forwarded-for']).toBe(`${ip}, 127.0.0.1`);
      expect(origin['x-forwarded-host']).toBe(isX ? 'other.example' : 'shop.example');
      expect(protoOnly.origin['x-forwarded-proto']).toBe(isX ? 'https' : 'http');
      expect(origin.forwarded).toBe(isX ? undefined : FORWARDED.slice('Forwarded: '.length));
    },
  );
});

test('a peer on a unix socket is trusted', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'guard-')), 'gateway.sock');
  const { questions } = await startGatewayWithOrigin({ unixPath: socketPath });
  const headers = { host: 'shop.example', 'x-forwarded-for': '198.51.100.7' };
  await new Promise((resolve) => {
    request({ socketPath, headers }, (res) => res.resume().on('end', resolve)).end();
  });
  expect(questions[0]?.ip).toBe('198.51.100.7');
});
