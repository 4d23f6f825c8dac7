import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether only this machine reaches a host as a listener names it (RFC 1122 section 3.2.1.3, RFC 4291
 * section 2.5.3, RFC 6761 section 6.3). A name besides `localhost` counts as reached by others.
 */
export function isLoopbackHost(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return /^(?:.+\.)?localhost\.?$/i.test(host);
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
