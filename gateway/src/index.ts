import { createClientOf } from './client-ip.ts';
import { createConnections } from './connection.ts';
import { createFailPolicy } from './fail-policy.ts';
import { createForward } from './forward.ts';
import { createHandle } from './handle.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { listen } from './listen.ts';
import { createSites } from './match-site.ts';
import type { Gateway, GatewayOptions } from './options.ts';
import { createGatewayServer } from './server.ts';
import { createUpgrades } from './upgrade.ts';

export type { GatewayLimits } from './limits.ts';
export type { Gateway, GatewayOptions, GatewaySite } from './options.ts';
export { compileRoute, type IsProtected } from './route.ts';
export { type RemoteValidatorClient, validateOverHttp } from './validate-over-http.ts';

/** How often connections that fell idle are closed while the gateway drains. */
const DRAIN_CHECK_MS = 50;

/** Builds a gateway: takes requests, asks, enforces, forwards. It listens when it is told to. */
export function createGateway(options: GatewayOptions): Gateway {
  const { observe, events, clock, log, metrics } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const sites = createSites(options.sites, limits);
  const handle = createHandle({
    observe,
    limits,
    log,
    metrics,
    sites,
    connectionOf: createConnections(options.trustedProxies),
    clientOf: createClientOf(options.trustedProxies),
    failPolicy: createFailPolicy({ observe, events, metrics, log, clock }),
  });
  const ports = { metrics, log, limits };
  const upgrades = createUpgrades(handle, ports);
  let closing = false;
  const server = createGatewayServer({
    handle,
    forward: createForward(ports),
    upgrades,
    limits,
    isClosing: () => closing,
  });

  async function close(): Promise<void> {
    closing = true;
    if (server.listening) {
      await new Promise<void>((resolve) => {
        const idle = setInterval(() => {
          server.closeIdleConnections();
        }, DRAIN_CHECK_MS);
        const cut = setTimeout(() => {
          server.closeAllConnections();
          upgrades.close();
        }, limits.drainMs);
        server.close(() => {
          clearInterval(idle);
          clearTimeout(cut);
          resolve();
        });
        // A tunnel has no end of its own to wait for.
        upgrades.close();
      });
    }
    await Promise.all(sites.all.map((site) => site.origins.destroy()));
  }

  return { listen: (address) => listen(server, address), close };
}
