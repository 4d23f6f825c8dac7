import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { exchange } from './exchange.ts';

const PAGE = 'x'.repeat(700_000);
const CODINGS = {
  identity: (text: string) => Buffer.from(text),
  gzip: (text: string) => gzipSync(text),
  br: (text: string) => brotliCompressSync(text),
};

let close = () => {};
afterEach(() => close());

async function answerWith(coding: string, body: Buffer) {
  const server = createServer((_request, response) => {
    if (coding !== 'identity') response.setHeader('content-encoding', coding);
    response.end(body);
  });
  close = () => server.close();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return exchange(`http://127.0.0.1:${port}/`, { headers: {}, timeoutMs: 30_000, from: undefined });
}

test.each(['identity', 'gzip', 'br'] as const)(
  'a page of 700 kB that comes with the coding %s is cut after 512 KiB',
  async (coding) => {
    const answer = await answerWith(coding, CODINGS[coding](PAGE));
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(answer.kind === 'answered' && answer.body.length).toBe(512 * 1024);
  },
);

test('a body that is not in its coding is no answer', async () => {
  expect(await answerWith('gzip', Buffer.from('plain'))).toMatchObject({ kind: 'failed' });
});
