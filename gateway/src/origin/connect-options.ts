import { isIP, type NetConnectOpts } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';

/** How a connection to an origin is opened. */
type ConnectOptions =
  | { readonly isSecure: false; readonly options: NetConnectOpts }
  | { readonly isSecure: true; readonly options: ConnectionOptions };

export function connectOptions(address: OriginAddress): ConnectOptions {
  if (address.kind === 'unix') return { isSecure: false, options: { path: address.path } };
  const { isSecure, host, port } = address;
  const place = { host, port };
  if (!isSecure) return { isSecure, options: place };
  // RFC 6066 section 3: SNI must be a name, not an address. It is the name in the settings, never the visitor's Host.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { isSecure, options: { ...place, ...name, ALPNProtocols: ['http/1.1'] } };
}
