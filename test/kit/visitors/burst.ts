import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The number of answers for each status. The status is 0 when the connection ended without an answer. */
export type StatusCounts = ReadonlyMap<number, number>;

/** Requests that are sent at the same time. Each request has its own connection, which is already open. */
export interface Burst {
  readonly light: number;
  /**
   * The number of requests with a heavy path: the most expensive path that Guard does not refuse (path-readings.ts).
   */
  readonly heavy: number;
}

const HEAVY_PATH = '/..'.repeat(5_250);

/**
 * Sends all requests of a burst to a gateway, with paths below a folder and with invented sessions. Resolves after the
 * last answer.
 */
export async function burst(
  gateway: string,
  folder: string,
  { light, heavy }: Burst,
): Promise<StatusCounts> {
  const { hostname, port } = new URL(gateway);
  const sockets = await Promise.all(
    Array.from({ length: light + heavy }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const statusCounts = new Map<number, number>();
  await Promise.all(
    sockets.map(async (socket, i) => {
      const status = await statusOf(socket, `${folder}${i}${i < light ? '' : HEAVY_PATH}`);
      statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1);
    }),
  );
  return statusCounts;
}

async function statusOf(socket: Socket, path: string): Promise<number> {
  let text = '';
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: shop.example',
    `Cookie: _guard=${randomUUID()}`,
    'Connection: close',
  ];
  socket.write([...lines, '', ''].join('\r\n'));
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}
