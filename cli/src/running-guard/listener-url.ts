import type { ListenAddress } from '@guard/config/settings/values';

/**
 * The URL at which a program on the same machine reaches a listener of the settings. Undefined for a
 * unix socket, and for port 0, which stands for a port that is not known yet.
 */
export function listenerUrl(address: ListenAddress | undefined): string | undefined {
  if (address?.kind !== 'tcp' || address.port === 0) return undefined;
  const { host, port } = address;
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
