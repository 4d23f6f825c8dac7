import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askOver } from './ask-over-http.ts';

const server = createServer((request, response) => {
  void text(request).then((sql) => {
    if (request.headers.authorization !== 'Bearer good') return response.writeHead(401).end();
    if (sql !== 'much') return response.end(`${sql}\n`);
    return response.writeHead(502).end('The answer is larger than 4 MiB. Ask for less.\n');
  });
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // The server listens on TCP, so it has a port.
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => void server.close());

test('an answer is returned as text, and an answer above 4 MiB (contract 8) is refused', async () => {
  const ask = askOver({ url, key: 'good' });
  expect([await ask('SELECT 1'), await ask('much')]).toEqual(['SELECT 1\n', 'too_large']);
});

test('an error of the server is reported without the key', async () => {
  await expect(askOver({ url, key: 'bad-key' })('SELECT 1')).rejects.toThrow(
    /answered 401: the key is not valid$/,
  );
});
