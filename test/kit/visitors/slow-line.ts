import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A connection to a server on loopback that delays answers. */
export interface SlowLine {
  readonly port: number;
  /** The delay of each part of an answer, in milliseconds. */
  delayMs: number;
  /** One connection out of this number is closed at its first answer. With 0 no connection is closed. */
  cutsEach: number;
  /** The number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function openSlowLine(toPort: number): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const line = { port: 0, delayMs: 0, cutsEach: 0, connections: 0, close };
  const server = createServer((visitor) => {
    line.connections += 1;
    const isCut = line.cutsEach > 0 && line.connections % line.cutsEach === 0;
    const upstream = connect(toPort, '127.0.0.1');
    keep(visitor);
    keep(upstream);
    visitor.pipe(upstream);
    visitor.on('close', () => upstream.destroy());
    upstream.on('close', () => visitor.destroy());
    upstream.on('data', (bytes: Buffer) => {
      if (isCut) visitor.destroy();
      // All parts have the same delay, so they arrive in order.
      setTimeout(() => visitor.write(bytes), line.delayMs).unref();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  line.port = (server.address() as AddressInfo).port; // the server listens on TCP
  return line;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}
