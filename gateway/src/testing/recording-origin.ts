import { createServer, type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ArrivedRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpOrigin {
  readonly address: string;
  /** Every complete request, in order. */
  readonly requests: ArrivedRequest[];
  readonly server: Server;
}

/** An HTTP origin that records its requests. It answers `hello` by default. */
export async function startOrigin(
  respond: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => res.end('hello'),
): Promise<HttpOrigin> {
  const requests: ArrivedRequest[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => {
      body += part.toString('latin1');
    });
    req.on('end', () => {
      const { method = '', url = '', rawHeaders, headers } = req;
      requests.push({ method, url, rawHeaders, headers, body });
    });
    respond(req, res);
  });
  const port = await listenOnFreePort(server);
  return { address: `http://127.0.0.1:${port}`, requests, server };
}

export interface TcpOrigin {
  readonly address: string;
  /** The bytes of each connection, in the order in which the connections came. */
  readonly bytes: string[];
  readonly sockets: Socket[];
}

/**
 * An origin that reads and writes bytes. `bytesSoFar` has all bytes of the connection, and the test writes the answer.
 */
export async function startTcpOrigin(
  respond: (socket: Socket, bytesSoFar: string, connectionIndex: number) => void,
): Promise<TcpOrigin> {
  const bytes: string[] = [];
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    const index = sockets.push(socket) - 1;
    bytes[index] = '';
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      bytes[index] = (bytes[index] ?? '') + part.toString('latin1');
      respond(socket, bytes[index] ?? '', index);
    });
  });
  const port = await listenOnFreePort(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { address: `http://127.0.0.1:${port}`, bytes, sockets };
}

let addressCount = 0;

/**
 * A local address that refuses connections, and is different at each call. It has port 1, which no program uses.
 * Another program could get any other free port.
 */
export function refusingAddress(): string {
  addressCount += 1;
  return `http://127.13.${addressCount >> 8}.${addressCount & 255}:1`;
}

async function listenOnFreePort(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    if (server instanceof Server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
