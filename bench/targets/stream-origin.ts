/**
 * An origin of long bodies. GET /<n> sends n bytes. Requests with another method get the digest of their body. Prints
 * its URL.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { digest, patternStream } from '../measure/pattern.ts';

const server = createServer({ requestTimeout: 0 }, (request, response) => {
  if (request.method === 'GET') {
    const bytes = Number(request.url?.slice(1));
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': bytes,
    });
    // The error is ignored, because the reader notices the broken stream.
    pipeline(patternStream(bytes), response).catch(() => response.destroy());
    return;
  }
  digest(request).then(
    (received) => response.end(JSON.stringify(received)),
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  console.log(`http://127.0.0.1:${port}`);
});
