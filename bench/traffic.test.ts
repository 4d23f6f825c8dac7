import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isOnPath } from '../test/kit/tools.ts';
import { fill } from './traffic.ts';
import { stranger, STRANGERS_PATH } from './visitors.ts';
import { wrk } from './wrk.ts';

test('strangers are all different: agent, address and path', () => {
  const numbers = Array.from({ length: 10_000 }, (_, n) => 20_000_000 + n);
  for (const text of [stranger['user-agent'] ?? '', '{address}', STRANGERS_PATH]) {
    expect(new Set(numbers.map((number) => fill(text, number))).size, text).toBe(numbers.length);
  }
});

test.skipIf(!isOnPath('wrk'))(
  'wrk sends the fields that were asked for, in their order, filled in as they are here',
  async () => {
    const seen: { readonly url: string; readonly fields: readonly string[] }[] = [];
    const server = createServer((request, response) => {
      seen.push({ url: request.url ?? '', fields: request.rawHeaders });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP listener has one
    const url = `http://127.0.0.1:${port}`;
    const traffic = { url, path: STRANGERS_PATH, headers: stranger };
    const { requests } = await wrk(traffic, { connections: 1, seconds: 1, from: 8190, pauseMs: 5 });
    server.closeAllConnections();
    server.close();

    expect(requests).toBeGreaterThan(2);
    const from = Number(seen[0]?.url.replace('/products/', ''));
    for (const [index, { url: path, fields }] of seen.entries()) {
      const expected = Object.entries(stranger).flat();
      expect(path).toBe(fill(STRANGERS_PATH, from + index));
      expect(fields).toEqual(expected.map((text) => fill(text, from + index)));
    }
  },
);
