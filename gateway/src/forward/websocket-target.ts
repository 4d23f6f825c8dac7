import type { ProxyTarget } from 'http-proxy-3';
import type { Origin as OriginAddress } from '@guard/config/settings/values';
import { serverName } from '../origin/server-name.ts';

/** Where the WebSockets of one origin go, as http-proxy-3 takes it. */
export interface WebSocketTarget {
  readonly target: ProxyTarget;
  /** For TLS. Empty sends no name; where it is missing, Node would send the visitor's Host. */
  readonly servername: string;
}

const known = new WeakMap<OriginAddress, WebSocketTarget>();

/** The target of an origin; worked out once, however many handshakes go there. */
export function webSocketTarget(address: OriginAddress): WebSocketTarget {
  const existing = known.get(address);
  if (existing !== undefined) return existing;
  const made = targetOf(address);
  known.set(address, made);
  return made;
}

function targetOf(address: OriginAddress): WebSocketTarget {
  if (address.kind === 'unix') {
    const target = { socketPath: address.path, host: 'localhost', port: 80, protocol: 'http:' };
    return { target, servername: '' };
  }
  const { protocol, hostname, port } = new URL(address.origin);
  const standard = protocol === 'https:' ? 443 : 80;
  const target = {
    protocol,
    hostname,
    host: hostname,
    port: port === '' ? standard : Number(port),
  };
  return { target, servername: serverName(hostname) ?? '' };
}
