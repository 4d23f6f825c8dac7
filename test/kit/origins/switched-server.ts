import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/**
 * `refusing`: no port listens. `silent`: the server accepts connections and gives no answers. `there`: the server
 * answers.
 */
export type Presence = 'refusing' | 'silent' | 'there';

/** A server that can go away and come back at the same address. */
export interface SwitchedServer {
  readonly url: string;
  /** Changes the presence, and ends all connections. */
  setPresence(presence: Presence): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of the server at `url`. At first it refuses connections. */
export async function openSwitched(url: string): Promise<SwitchedServer> {
  const port = await freePort();
  const { hostname, port: target } = new URL(url);
  const open = new Set<Socket>();
  let presence: Presence = 'refusing';
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (presence === 'silent') return;
    const upstreamSocket = keep(connect(Number(target), hostname));
    incoming.pipe(upstreamSocket).pipe(incoming);
    incoming.on('close', () => upstreamSocket.destroy());
    upstreamSocket.on('close', () => incoming.destroy());
  });
  const setPresence = async (newPresence: Presence): Promise<void> => {
    presence = newPresence;
    if (server.listening) {
      const closeEvent = once(server.close(), 'close');
      for (const socket of open) socket.destroy();
      await closeEvent;
    }
    if (newPresence !== 'refusing') await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  return { url: `http://127.0.0.1:${port}`, setPresence, close: () => setPresence('refusing') };
}
