import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabaseClient } from './database-client.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1\n';

/** A server that handles each request with the next of `answers`, and records the requests. */
async function startServer(answers: ((socket: Socket) => void)[]) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (part: Buffer) => {
      text += part.toString();
      if (!text.endsWith('0\r\n\r\n')) return;
      requests.push(text);
      text = '';
      answers.shift()?.(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const client = createDatabaseClient(new URL(`http://127.0.0.1:${port}/`));
  onTestFinished(() => {
    client.close();
    server.close();
  });
  const send = (timeoutMs = 5_000) =>
    client.send({
      account: { user: 'reader', password: 'secret' },
      parameters: {},
      body: [Buffer.from('SELECT 1')],
      timeoutMs,
      maxAnswerBytes: 100,
    });
  return { requests, send };
}

const answer = (socket: Socket) => void socket.write(ANSWER);
const reset = (socket: Socket) => void socket.resetAndDestroy();

test('when the connection ends before an answer, the request is sent once more', async () => {
  const { requests, send } = await startServer([reset, answer, reset, reset, answer]);
  expect(await send()).toMatchObject({ kind: 'answered', status: 200 });
  expect(requests).toHaveLength(2);
  expect(await send()).toMatchObject({ kind: 'failed' });
  expect(requests).toHaveLength(4);
});

test('after an answer has begun the request is not sent again', async () => {
  const cutConnection = (socket: Socket) => {
    socket.write(ANSWER.replace('1\n', '1'), () => socket.resetAndDestroy());
  };
  const { requests, send } = await startServer([answer, cutConnection, answer]);
  expect(await send()).toMatchObject({ kind: 'answered' });
  expect(await send()).toMatchObject({ kind: 'failed' });
  expect(requests).toHaveLength(2);
});

test('reading stops when an answer is too long or takes too long', async () => {
  const begin = (socket: Socket) => void socket.write(ANSWER.slice(0, -1));
  const long = (socket: Socket) =>
    void socket.write(ANSWER.replace(': 2', ': 200') + 'x'.repeat(150));
  const { send } = await startServer([begin, long]);
  expect(await send(100)).toEqual({ kind: 'timeout' });
  expect(await send()).toEqual({ kind: 'too_large' });
});
