import type { Server, Socket } from 'node:net';

/** Takes the connections of a server away from it, and returns how it serves one that it is handed. */
export function takeConnections(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const take of listeners) Reflect.apply(take, server, [socket]);
  };
}
