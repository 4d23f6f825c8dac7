import type { Server } from 'node:http';

/** How often connections that fell idle are closed while a server drains. */
const DRAIN_CHECK_MS = 50;

/**
 * Stops listening and resolves when the last connection has gone; `cut` is called after `drainMs` to
 * end what is left. Resolves at once for a server that never listened.
 */
export function drain(server: Server, drainMs: number, cut: () => void): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const idle = setInterval(() => {
      server.closeIdleConnections();
    }, DRAIN_CHECK_MS);
    const late = setTimeout(() => {
      server.closeAllConnections();
      cut();
    }, drainMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}
