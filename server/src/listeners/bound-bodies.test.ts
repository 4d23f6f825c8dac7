import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { boundBodies } from './bound-bodies.ts';

const LIMIT = 8_000;
const HEAD = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: a/b\r\n';

/** Serves a route that answers with the lengths of the parts in which the body comes. */
async function start(maxBytes: number) {
  const app = fastify({ forceCloseConnections: true, bodyLimit: LIMIT });
  boundBodies(app, 30_000, maxBytes);
  app.addContentTypeParser('a/b', async (_request: unknown, payload: AsyncIterable<Buffer>) => {
    const lengths: number[] = [];
    for await (const { length } of payload) lengths.push(length);
    return lengths;
  });
  app.post('/', ({ body }) => body);
  app.get('/', () => 'ready');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  /** Sends bytes on a new connection. `answer` resolves when the connection is closed. */
  function open(bytes: string) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (part: string) => (text += part)).on('error', () => undefined);
    socket.write(HEAD + bytes);
    return { socket, answer: once(socket, 'close').then(() => text) };
  }
  return { url, open };
}

test('a body in chunks of one byte reaches the parser as one part', async () => {
  const { open } = await start(100_000);
  const chunks = `${'1\r\na\r\n'.repeat(5_000)}0\r\n\r\n`;
  expect(await open(`Transfer-Encoding: chunked\r\n\r\n${chunks}`).answer).toMatch(/\n\[5000\]$/);
});

test.each([
  ['announced', `Content-Length: ${LIMIT + 1}\r\n\r\n${'a'.repeat(LIMIT + 1)}`],
  ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${'8\r\naaaaaaaa\r\n'.repeat(1_001)}0\r\n\r\n`],
])('a body above the limit of its route gets 413: %s', async (_how, bytes) => {
  const { open } = await start(100_000);
  expect(await open(bytes).answer).toMatch(/^HTTP\/1\.1 413 /);
});

test('at the memory limit of all bodies, the oldest body gets 408, and later bodies arrive', async () => {
  const { url, open } = await start(9_000);
  const begin = (length: number) => open(`Content-Length: ${length}\r\n\r\n${'a'.repeat(3_000)}`);
  const first = begin(6_000);
  // When this later request is answered, the service has read the first part of the body.
  await fetch(url);
  const second = begin(6_000);
  await fetch(url);
  const third = begin(3_000);
  expect(await third.answer).toMatch(/\n\[3000\]$/);
  expect(await first.answer).toMatch(/^HTTP\/1\.1 408 /);
  second.socket.write('a'.repeat(3_000));
  expect(await second.answer).toMatch(/\n\[6000\]$/);
});
