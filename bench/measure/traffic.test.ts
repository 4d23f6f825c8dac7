import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { hasOpenssl, isOnPath } from '../../test/kit/tools.ts';
import { h2load } from './h2load.ts';
import { fillNumber } from './traffic.ts';
import { browser, stranger, STRANGERS_PATH } from '../visitors.ts';
import { wrk } from './wrk.ts';

test('strangers differ in agent, address and path', () => {
  const numbers = Array.from({ length: 10_000 }, (_, n) => 20_000_000 + n);
  for (const text of [stranger['user-agent'] ?? '', '{address}', STRANGERS_PATH]) {
    expect(new Set(numbers.map((number) => fillNumber(text, number))).size, text).toBe(
      numbers.length,
    );
  }
});

test.skipIf(!isOnPath('wrk'))(
  'wrk sends the given fields in their order, with the same values as the load that Node makes',
  async () => {
    const arrivals: { readonly url: string; readonly fields: readonly string[] }[] = [];
    const server = createServer((request, response) => {
      arrivals.push({ url: request.url ?? '', fields: request.rawHeaders });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
    const url = `http://127.0.0.1:${port}`;
    const traffic = { url, path: STRANGERS_PATH, headers: stranger };
    const { requests } = await wrk(traffic, { connections: 1, seconds: 1, from: 8190, pauseMs: 5 });
    server.closeAllConnections();
    server.close();

    expect(requests).toBeGreaterThan(2);
    const from = Number(arrivals[0]?.url.replace('/products/', ''));
    for (const [index, { url: path, fields }] of arrivals.entries()) {
      const expected = Object.entries(stranger).flat();
      expect(path).toBe(fillNumber(STRANGERS_PATH, from + index));
      expect(fields).toEqual(expected.map((text) => fillNumber(text, from + index)));
    }
  },
);

test.skipIf(!isOnPath('h2load') || !hasOpenssl)(
  'h2load sends the fields of a browser over HTTP/2: with one authority, and no field about the connection',
  async () => {
    const { cert, key } = selfSigned('shop.example');
    const arrivals: unknown[] = [];
    const server = createSecureServer({ cert, key }, (request, response) => {
      if (arrivals.length === 0) arrivals.push({ url: request.url, ...request.headers });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
    const traffic = { url: `https://127.0.0.1:${port}`, path: '/a', headers: browser };
    const { requests } = await h2load(traffic, { connections: 2, seconds: 1 });
    server.close();

    expect(requests).toBeGreaterThan(2);
    const fields = new Map(Object.entries(browser));
    const authority = fields.get('host');
    for (const name of ['host', 'connection']) fields.delete(name);
    const pseudo = { ':authority': authority, ':method': 'GET', ':path': '/a', ':scheme': 'https' };
    expect(arrivals).toMatchObject([{ url: '/a', ...pseudo, ...Object.fromEntries(fields) }]);
  },
);
