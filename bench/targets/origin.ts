/** The origin behind every target: 1 KiB of text, keep-alive. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = Buffer.alloc(1024, 'x');
const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
});
