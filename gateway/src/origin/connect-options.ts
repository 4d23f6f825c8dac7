import { isIP, type NetConnectOpts } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';

/** How a connection to an origin is opened. */
export type ConnectOptions =
  | { readonly isSecure: false; readonly options: NetConnectOpts }
  | { readonly isSecure: true; readonly options: ConnectionOptions };

const known = new WeakMap<OriginAddress, ConnectOptions>();

/** The options for an origin. The address is read once, however many connections are opened. */
export function connectOptions(address: OriginAddress): ConnectOptions {
  const existing = known.get(address);
  if (existing !== undefined) return existing;
  const made = readAddress(address);
  known.set(address, made);
  return made;
}

function readAddress(address: OriginAddress): ConnectOptions {
  if (address.kind === 'unix') return { isSecure: false, options: { path: address.path } };
  const { protocol, hostname, port } = new URL(address.origin);
  const isSecure = protocol === 'https:';
  const standard = isSecure ? 443 : 80;
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: port === '' ? standard : Number(port) };
  if (!isSecure) return { isSecure, options: place };
  // RFC 6066 section 3: an address has no name to ask for. The name is never the visitor's Host.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { isSecure, options: { ...place, ...name, ALPNProtocols: ['http/1.1'] } };
}
