import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EchoingOrigin {
  readonly url: string;
  readonly exchanges: Exchange[];
  close(): Promise<void>;
}

/** A site that answers with the body of the request, and echoes the data of a WebSocket. */
export async function startEchoingOrigin(): Promise<EchoingOrigin> {
  const exchanges: Exchange[] = [];
  const tunnels = new Set<Socket>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      exchanges.push({ method, url, headers, body });
      response.end(body);
    });
  });
  server.on('upgrade', (request, socket) => {
    const { method = '', url = '', headers } = request;
    exchanges.push({ method, url, headers, body: '' });
    tunnels.add(request.socket);
    socket.on('error', () => socket.destroy());
    // RFC 6455 section 4.2.2: proxies compare this value with the key.
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const fields = ['Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Accept: ${accept}`];
    socket.write(['HTTP/1.1 101 Switching Protocols', ...fields, '', ''].join('\r\n'));
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is an object
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    async close() {
      for (const tunnel of tunnels) tunnel.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
