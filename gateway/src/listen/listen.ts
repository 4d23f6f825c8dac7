import type { Server as HttpServer } from 'node:http';
import { createServer, type ListenOptions as ServerOptions, type Server } from 'node:net';
import { removeAbandonedSocket } from '@guard/config/net/abandoned-socket';
import type { ListenAddress } from '@guard/config/settings/values/values';

interface ListenOptions {
  readonly scheme: 'http' | 'https';
  /**
   * How a TCP address is shared with other gateways of this process. `claim`: the first gateway, which checks that the
   * address is free. `join`: a further gateway. Undefined when it is not shared.
   */
  readonly shared: 'claim' | 'join' | undefined;
}

/**
 * Binds a server. Resolves to its address: `scheme://host:port`, or `unix:<path>`. Rejects when the address is in use.
 * A socket file that a killed process left behind is replaced.
 */
export async function listen(
  server: Server,
  address: ListenAddress,
  { scheme, shared }: ListenOptions,
): Promise<string> {
  if (address.kind === 'unix') {
    await removeAbandonedSocket(address.path);
    await bind(server, { path: address.path });
    return `unix:${address.path}`;
  }
  const { host } = address;
  const port = shared === 'claim' ? await claim(address) : address.port;
  await bind(server, { host, port, reusePort: shared !== undefined });
  const boundPort = portOf(server) ?? port;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${boundPort}`;
}

/**
 * Checks that no other process listens at the address, and returns its port. Without this check, a second Guard that
 * was started by mistake would silently get half of the visitors (SO_REUSEPORT).
 */
async function claim({ host, port }: Extract<ListenAddress, { kind: 'tcp' }>): Promise<number> {
  const probe = createServer();
  await bind(probe, { host, port });
  const boundPort = portOf(probe) ?? port;
  await new Promise((resolve) => probe.close(resolve));
  return boundPort;
}

/** The TCP port on which a server listens. Undefined for a unix socket, and before it listens. */
export function portOf(server: Server): number | undefined {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : undefined;
}

function bind(server: Server, options: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** While a server drains, idle connections are closed this often. */
const DRAIN_CHECK_MS = 50;

/**
 * Stops listening. Resolves when the last connection has closed, or at once when the server does not listen. After
 * `drainMs` it closes all connections that are left: `server` closes its own, and `cutRest` closes all others.
 */
export function drain(server: HttpServer, drainMs: number, cutRest: () => void): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const idleTimer = setInterval(() => {
      server.closeIdleConnections();
    }, DRAIN_CHECK_MS);
    const drainTimer = setTimeout(() => {
      server.closeAllConnections();
      cutRest();
    }, drainMs);
    server.close(() => {
      clearInterval(idleTimer);
      clearTimeout(drainTimer);
      resolve();
    });
  });
}
