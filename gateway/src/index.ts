import { createClientOf } from './arrive/client-ip.ts';
import { createConnections, trackUnderway } from './listen/connection.ts';
import { drain } from './listen/drain.ts';
import { createFailPolicy } from './judge/fail-policy.ts';
import { createForwardAuth, type ForwardAuth } from './forward-auth/forward-auth.ts';
import { HeldAnswers } from './forward-auth/held-answers.ts';
import { FORWARD_AUTH_LIMITS } from './forward-auth/limits.ts';
import { createForwardAuthServer } from './forward-auth/server.ts';
import { sparingLog } from './forward-auth/sparing-log.ts';
import { createForward } from './forward/forward.ts';
import { createHandle, type Handle } from './handle.ts';
import { createJudge } from './judge/judge.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { listen } from './listen/listen.ts';
import { createSites } from './arrive/match-site.ts';
import type { Gateway, GatewayOptions, GatewaySettings } from './options.ts';
import { OriginRegistry } from './origin/origin-registry.ts';
import { createGatewayServer, type Intake } from './listen/server.ts';
import { loadCertificates } from './tls/choose-certificate.ts';
import { createTlsFront, type TlsFront } from './tls/front.ts';
import { createUpgrades } from './forward/upgrade.ts';

export type { GatewayLimits } from './limits.ts';
export type { Gateway, GatewayOptions, GatewaySettings, GatewaySite } from './options.ts';
export { compileRoute, type IsProtected } from './arrive/route.ts';
export { type RemoteValidatorClient, validateOverHttp } from './judge/validate-over-http.ts';

/** Builds a gateway: takes requests, asks, enforces, forwards. It listens when it is told to. */
export function createGateway(options: GatewayOptions): Gateway {
  const { events, clock, log, metrics } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const underwayOf = trackUnderway();
  const origins = new OriginRegistry(limits);
  const failPolicy = createFailPolicy({ events, metrics, log, clock });
  const judge = createJudge(failPolicy, limits.askTimeoutMs);

  const held = new HeldAnswers(clock, FORWARD_AUTH_LIMITS);
  const faults = sparingLog(log, clock, FORWARD_AUTH_LIMITS.logEveryMs);

  function build(settings: GatewaySettings): { handle: Handle; forwardAuth: ForwardAuth } {
    const { trustedProxies } = settings;
    const draft = origins.draft();
    const stages = {
      limits,
      log,
      metrics,
      sites: createSites(settings, draft.originsOf),
      connectionOf: createConnections(trustedProxies, underwayOf),
      clientOf: createClientOf(trustedProxies),
      judge,
      held,
      faults,
    };
    draft.commit();
    const built = createHandle(stages);
    return { handle: built, forwardAuth: createForwardAuth(stages, built) };
  }

  let current = build(options);
  const handle: Handle = (req, res, onward) => {
    current.handle(req, res, onward);
  };
  const ports = { metrics, log, limits };
  const upgrades = createUpgrades(handle, ports);
  let closing = false;
  const intake: Intake = {
    handle,
    forward: createForward(ports),
    upgrades,
    limits,
    isClosing: () => closing,
  };
  const server = createGatewayServer(intake);
  const forwardAuth = createForwardAuthServer(
    (req, res) => {
      current.forwardAuth(req, res);
    },
    limits,
    intake.isClosing,
  );
  let front: TlsFront | undefined;

  async function close(): Promise<void> {
    closing = true;
    front?.drain();
    const drained = Promise.all([
      drain(server, limits.drainMs, upgrades.close),
      front && drain(front.server, limits.drainMs, front.cut),
      drain(forwardAuth, limits.drainMs, () => undefined),
    ]);
    // A tunnel has no end of its own to wait for.
    upgrades.close();
    await drained;
    await origins.destroy();
  }

  return {
    listen: (address) => listen(server, address, 'http'),
    listenTls: (address) => {
      const certificates = loadCertificates(options.certificates ?? []);
      if (certificates === undefined) throw new TypeError('https needs a certificate');
      front = createTlsFront(intake, certificates);
      return listen(front.server, address, 'https');
    },
    listenForwardAuth: (address) => listen(forwardAuth, address, 'http'),
    reload: (settings) => {
      const certificates = front && loadCertificates(settings.certificates ?? []);
      current = build(settings);
      if (certificates) front?.useCertificates(certificates);
    },
    close,
  };
}
