/** An origin of long bodies: GET /<bytes> sends so many, anything else says what it was sent. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { digest, patternStream } from '../pattern.ts';

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  if (request.method === 'GET') {
    const bytes = Number(request.url?.slice(1));
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': bytes,
    });
    // The reader sees that it broke.
    pipeline(patternStream(bytes), response).catch(() => response.destroy());
    return;
  }
  digest(request).then(
    (received) => response.end(JSON.stringify(received)),
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a TCP listener has one
  console.log(`http://127.0.0.1:${port}`);
});
