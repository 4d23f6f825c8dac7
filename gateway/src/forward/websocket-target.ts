import type { RequestOptions } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import type { Origin as OriginAddress } from '@guard/config/settings/values';
import { serverName } from '../origin/server-name.ts';

/** Where the WebSockets of one origin go, as Node's clients take it. */
export interface WebSocketTarget {
  readonly isSecure: boolean;
  readonly options: RequestOptions & Pick<ConnectionOptions, 'ALPNProtocols'>;
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
  if (address.kind === 'unix') return { isSecure: false, options: { socketPath: address.path } };
  const { protocol, hostname, port } = new URL(address.origin);
  const isSecure = protocol === 'https:';
  const standard = isSecure ? 443 : 80;
  const place = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? standard : Number(port),
  };
  if (!isSecure) return { isSecure, options: place };
  // An empty name sends none; where it is missing, Node would send the visitor's Host.
  const servername = serverName(hostname) ?? '';
  return { isSecure, options: { ...place, servername, ALPNProtocols: ['http/1.1'] } };
}
