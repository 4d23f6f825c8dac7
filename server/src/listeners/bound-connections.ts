import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { AddressCounts } from '@guard/gateway';
import type { Server } from 'node:net';

/**
 * How many connections a service accepts: from all addresses together, and from one address. A trusted proxy may have
 * as many as all addresses together.
 */
const SERVICE_CONNECTIONS = { all: 8_192, ofAddress: 4_096 };
type ServiceConnections = typeof SERVICE_CONNECTIONS;

/**
 * Limits the connections of a service. Without a limit, a stranger could use all file descriptors that Guard may open.
 */
export function boundConnections(
  server: Server,
  trustedProxies: readonly string[],
  { all, ofAddress }: ServiceConnections = SERVICE_CONNECTIONS,
): void {
  const trustedAddresses = PrefixSet.from(trustedProxies);
  const openConnections = new AddressCounts(ofAddress, all);
  server.maxConnections = all;
  server.on('connection', (socket) => {
    // A connection over a unix socket has no address.
    const ip = parseIp(socket.remoteAddress ?? '');
    if (ip !== undefined && !trustedAddresses.has(ip) && !openConnections.take(socket, ip))
      socket.destroy();
  });
}
