/**
 * An origin with known answers: GET /known/<n>, and POST of the same body to /known/<n>. GET /slow/<n> takes a second.
 * Its argument is a port. Prints its URL.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ABORTED_BYTES, knownBody } from '../soak/known-body.ts';

const SLOW_CHUNKS = 16;
const SLOW_MS = 1000;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  // The error is ignored, because the client notices the broken connection.
  answer(request, response).catch(() => response.destroy());
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  console.log(`http://127.0.0.1:${port}`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, number] = (request.url ?? '').split('/');
  const body = knownBody(Number(number));
  if (kind === 'slow') return answerSlowly(response);
  if (request.method !== 'GET' && !(await buffer(request)).equals(body)) {
    response.end('this is not what was uploaded');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length });
  response.end(body);
}

async function answerSlowly(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-length': ABORTED_BYTES });
  for (let sentChunks = 0; sentChunks < SLOW_CHUNKS && !response.destroyed; sentChunks++) {
    response.write(Buffer.alloc(ABORTED_BYTES / SLOW_CHUNKS, 's'));
    await sleep(SLOW_MS / SLOW_CHUNKS);
  }
  response.end();
}
