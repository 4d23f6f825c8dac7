import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How many visitors were told what: by status, 0 where the connection ended without an answer. */
export type Told = ReadonlyMap<number, number>;

/** Requests that come at once, each on a connection of its own that is open by then. */
export interface Burst {
  readonly light: number;
  /** With a path that costs as much as one can that is not refused (path-readings.ts). */
  readonly heavy: number;
}

const HEAVY_PATH = '/..'.repeat(5_250);

/**
 * Sends all of them to a gateway, for something below a folder of it, with an invented session each; resolves
 * when the last one was answered.
 */
export async function burst(
  gateway: string,
  folder: string,
  { light, heavy }: Burst,
): Promise<Told> {
  const { hostname, port } = new URL(gateway);
  const sockets = await Promise.all(
    Array.from({ length: light + heavy }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const told = new Map<number, number>();
  await Promise.all(
    sockets.map(async (socket, i) => {
      const status = await statusOf(socket, `${folder}${i}${i < light ? '' : HEAVY_PATH}`);
      told.set(status, (told.get(status) ?? 0) + 1);
    }),
  );
  return told;
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
