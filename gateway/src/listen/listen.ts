import type { Server } from 'node:net';
import { removeAbandonedSocket } from '@guard/config/net/abandoned-socket';
import type { ListenAddress } from '@guard/config/settings/values';

/**
 * Binds a server and resolves to where it listens: `scheme://host:port`, or `unix:<path>`. Rejects when
 * the address is taken. A socket file that a killed process left behind is taken over.
 */
export async function listen(
  server: Server,
  address: ListenAddress,
  scheme: 'http' | 'https',
): Promise<string> {
  if (address.kind === 'unix') {
    await removeAbandonedSocket(address.path);
    await bind(server, { path: address.path });
    return `unix:${address.path}`;
  }
  await bind(server, { host: address.host, port: address.port });
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : address.port;
  return `${scheme}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`;
}

function bind(
  server: Server,
  where: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
