import { removeAbandonedSocket } from '@guard/config/net/abandoned-socket';
import { listenerUrl } from '@guard/config/net/special-address';
import type { Service, Settings } from '@guard/config/settings/schema';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { type Gateway, NodeResponse } from '@guard/gateway';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { boundBodies } from './bound-bodies.ts';

/** Time limits for a connection. They end a connection also when a byte arrives now and then. */
const SERVICE_TIMES = {
  /** The time for a complete header section. After this time the answer is 408. */
  headMs: 10_000,
  /** The time for a complete request with its body. After this time the answer is 408. */
  requestMs: 30_000,
  checkMs: 1_000,
  /** The time after which a connection is closed when no byte was sent on it. */
  idleMs: 60_000,
} as const;
export type ServiceTimes = Readonly<Record<keyof typeof SERVICE_TIMES, number>>;

/** The address of each service that listens: a URL, or `unix:` and a path. */
export type Addresses = Readonly<Partial<Record<Service, string>>>;

/** The settings about proxies in front of the services other than the gateway. */
export type ServiceSettings = Pick<Settings, 'trusted_proxies'> &
  Partial<Pick<Settings, 'forwarded_header'>>;

export function createService(
  { trusted_proxies, forwarded_header }: ServiceSettings,
  times: ServiceTimes = SERVICE_TIMES,
): FastifyInstance {
  // fastify reads only X-Forwarded-For. Behind a proxy that writes Forwarded, a visitor can forge X-Forwarded-For.
  const readsForwardedFor = trusted_proxies.length > 0 && forwarded_header !== 'forwarded';
  const app = fastify({
    logger: false,
    trustProxy: readsForwardedFor ? [...trusted_proxies] : false,
    http: {
      headersTimeout: times.headMs,
      connectionsCheckingInterval: times.checkMs,
      ServerResponse: NodeResponse,
    },
    requestTimeout: times.requestMs,
    connectionTimeout: times.idleMs,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
  });
  app.addHook('onRequest', skipUnwantedBody);
  boundBodies(app, times.requestMs);
  return app;
}

/**
 * Discards the body of a request without a route. Otherwise a stranger could make this thread parse a body of a
 * megabyte.
 */
function skipUnwantedBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  callback: () => void,
): void {
  if (request.is404) {
    for (const name of BODY_FIELDS) Reflect.deleteProperty(request.raw.headers, name);
  }
  callback();
}

const BODY_FIELDS = ['content-type', 'content-length', 'transfer-encoding'];

/** Listens and resolves with the address. Rejects with an Error that names the setting. */
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
    const boundAddress = app.server.address();
    const port =
      typeof boundAddress === 'object' && boundAddress ? boundAddress.port : address.port;
    return listenerUrl(address.host, port);
  } catch (error) {
    throw listenError(service, address, error);
  }
}

/** Creates an Error that says why Guard cannot listen at an address of the settings. */
function listenError(service: Service, address: ListenAddress, cause: unknown): Error {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  const addressText =
    address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
  const reason =
    code === 'EADDRINUSE'
      ? 'another program listens there; end it, or choose another address (port 0 picks a free one)'
      : code === 'EACCES'
        ? 'this user may not listen there; ports below 1024 need a privilege'
        : cause instanceof Error
          ? cause.message
          : String(cause);
  return new Error(`listen.${service} ${addressText}: ${reason}`, { cause });
}

type GatewayService = 'gateway' | 'gateway_tls' | 'forward_auth' | 'ext_authz';

/** Starts a gateway at each address of the settings. Resolves with the addresses, with real ports for port 0. */
export async function listenGateway(
  gateway: Gateway,
  addresses: Pick<Settings['listen'], GatewayService>,
): Promise<Addresses> {
  const openAddresses: Partial<Record<GatewayService, string>> = {};
  const openListener = async (
    service: GatewayService,
    listen: (at: ListenAddress) => Promise<string>,
  ): Promise<void> => {
    const address = addresses[service];
    if (!address) return;
    try {
      openAddresses[service] = await listen(address);
    } catch (error) {
      throw listenError(service, address, error);
    }
  };
  await openListener('gateway', gateway.listen);
  await openListener('gateway_tls', gateway.listenTls);
  await openListener('forward_auth', gateway.listenForwardAuth);
  await openListener('ext_authz', gateway.listenExtAuthz);
  return openAddresses;
}
