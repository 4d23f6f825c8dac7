import { removeAbandonedSocket } from '@guard/config/net/abandoned-socket';
import type { Service, Settings } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values';
import fastify, { type FastifyInstance } from 'fastify';

/** A server of one service, with the limits all of them share. */
export function createService(settings: Pick<Settings, 'trusted_proxies'>): FastifyInstance {
  return fastify({
    logger: false,
    trustProxy: settings.trusted_proxies.length > 0 ? [...settings.trusted_proxies] : false,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
  });
}

/** Listens, and says where. A refused address becomes an error that names the setting. */
export async function listenOn(
  service: Service,
  app: FastifyInstance,
  address: ListenAddress,
): Promise<string> {
  try {
    if (address.kind === 'unix') {
      await removeAbandonedSocket(address.path);
      await app.listen({ path: address.path });
      return `unix:${address.path}`;
    }
    await app.listen({ host: address.host, port: address.port });
    const bound = app.server.address();
    const port = typeof bound === 'object' && bound ? bound.port : address.port;
    return urlOf(address.host, port);
  } catch (error) {
    throw listenError(service, address, error);
  }
}

/** The URL of a TCP listener; a wildcard address is written as the loopback one. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}

/** What to tell a person whose `listen` line could not be had. */
export function listenError(service: Service, address: ListenAddress, cause: unknown): Error {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const at = address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
  const why =
    code === 'EADDRINUSE'
      ? 'another program listens there; end it, or choose another address (port 0 picks a free one)'
      : code === 'EACCES'
        ? 'this user may not listen there; ports below 1024 need a privilege'
        : cause instanceof Error
          ? cause.message
          : String(cause);
  return new Error(`listen.${service} ${at}: ${why}`, { cause });
}
