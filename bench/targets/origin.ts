/**
 * The origin of every target. It answers with 1 KiB of text, or with `<n>` bytes for `/bytes/<n>`, and keeps the
 * connection. It reads an upload to its end before it answers. At the start it prints its URL.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MAX_BYTES = 16 * 1024 * 1024;
const bodies = new Map<number, Buffer>();

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = () => {
    const body = bodyOf(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length });
    response.end(body);
  };
  if (request.method === 'GET') answer();
  else request.resume().on('end', answer);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  console.log(`http://127.0.0.1:${port}`);
});

function bodyOf(url: string): Buffer {
  const byteCount = url.startsWith('/bytes/') ? Number(url.slice('/bytes/'.length)) : 1024;
  const size = Number.isInteger(byteCount) ? Math.min(byteCount, MAX_BYTES) : 0;
  const body = bodies.get(size) ?? Buffer.alloc(size, 'x');
  bodies.set(size, body);
  return body;
}
