/** http-proxy-3 with a keep-alive agent and without decisions. Prints its URL. */
import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProxyServer } from 'http-proxy-3';

const target = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const proxy = createProxyServer({ target, agent });
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  proxy.web(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`http://127.0.0.1:${port}`);
});
