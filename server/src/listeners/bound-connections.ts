import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { AddressCounts } from '@guard/gateway';
import type { Server } from 'node:net';

/** The connections that a service takes: of all addresses, and of one. A trusted proxy has no limit of its own. */
const SERVICE_CONNECTIONS = { all: 8_192, ofAddress: 4_096 };
export type ServiceConnections = typeof SERVICE_CONNECTIONS;

/** Limits the connections of a service. Without a limit, a stranger could use up all files that Guard may open. */
export function boundConnections(
  server: Server,
  trustedProxies: readonly string[],
  { all, ofAddress }: ServiceConnections = SERVICE_CONNECTIONS,
): void {
  const trustedAddresses = PrefixSet.from(trustedProxies);
  const openConnections = new AddressCounts(ofAddress, all);
  server.maxConnections = all;
  server.on('connection', (socket) => {
    // A connection by a unix socket has no address.
    const ip = parseIp(socket.remoteAddress ?? '');
    if (ip !== undefined && !trustedAddresses.has(ip) && !openConnections.take(socket, ip))
      socket.destroy();
  });
}
