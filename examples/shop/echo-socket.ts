import type { Server } from 'node:http';
import { WebSocketServer } from 'ws';

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_SOCKETS = 200;

/** Serves `/ws`: sends every message back unchanged, text as text and binary as binary. */
export function attachEchoSocket(server: Server): { close(): void } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  sockets.on('connection', (socket) => {
    // The listener is needed, because without it a message that is too long would end the shop.
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, binary) => socket.send(data, { binary }));
  });
  server.on('upgrade', (request, socket, head) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/ws' || sockets.clients.size >= MAX_SOCKETS) {
      socket.on('error', () => socket.destroy());
      const status = path === '/ws' ? '503 Service Unavailable' : '404 Not Found';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      sockets.emit('connection', client, request);
    });
  });
  return {
    close: () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}
