import type { Clock, Log } from '@guard/config/contract/ports';
import { createClientOf } from './arrive/client-ip.ts';
import { createAcmeAnswer, createRedirect } from './arrive/early-answer.ts';
import { type OneAddressWatch, watchForOneAddress } from './arrive/one-address.ts';
import { createSites } from './arrive/sites.ts';
import { GATEWAY_LIMITS, type GatewayLimits } from './base/limits.ts';
import type { Gateway, GatewayOptions, GatewaySettings } from './base/options.ts';
import { createThrottledLog } from './base/throttled-log.ts';
import { createExtAuthz, type ExtAuthz } from './ext-authz/ext-authz.ts';
import { ExtAuthzSide } from './ext-authz/ext-authz-side.ts';
import { HeldAnswers } from './forward-auth/answer.ts';
import { createForwardAuth, type ForwardAuth } from './forward-auth/forward-auth.ts';
import { createForwardAuthServer, FORWARD_AUTH_LIMITS } from './forward-auth/server.ts';
import type { Handle } from './forward/forward-ports.ts';
import { boundByAddress } from './forward/bounded-by-address.ts';
import { createForward } from './forward/forward.ts';
import { createUpgrades } from './forward/upgrade.ts';
import { createHandle } from './handle.ts';
import { createCleartextFront } from './http1/front.ts';
import { UploadsUnderWay } from './judge/collect.ts';
import { createFailPolicy } from './judge/fail-policy.ts';
import { createJudge } from './judge/judge.ts';
import { type AcceptOptions, type Intake, serveAccepted } from './listen/accept.ts';
import { createConnections, createTrust, type Trusts } from './listen/connection.ts';
import { drain, listen } from './listen/listen.ts';
import { Http1Origin } from './origin/http1/http1-origin.ts';
import { type Connect, OriginRegistry } from './origin/origins.ts';
import { HttpsSide } from './tls/https-side.ts';

export type { GatewayLimits } from './base/limits.ts';
export type {
  AcmeChallenges,
  Gateway,
  GatewayOptions,
  GatewaySettings,
  GatewaySite,
} from './base/options.ts';
export { AddressCounts } from './listen/accept.ts';
export { compileRoute, type IsProtected } from './arrive/sites.ts';

function openOrigins(limits: GatewayLimits, clock: Clock): OriginRegistry {
  const connect: Connect = (address, headersMs = limits.originHeadersMs) =>
    new Http1Origin(address, { ...limits, originHeadersMs: headersMs });
  return new OriginRegistry(connect, limits, clock);
}

/** Builds a gateway. It listens nowhere until one of its `listen` functions is called. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, log, metrics } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const origins = openOrigins(limits, clock);
  const faults = createThrottledLog(log, clock, FORWARD_AUTH_LIMITS.logEveryMs);
  const oneAddress = watchForOneAddress(log, clock);
  const https = new HttpsSide(options.certificates ?? [], options.challenges);
  const build = createSettingsBuilder(options, { limits, origins, oneAddress, faults, https });

  let current = build(options);
  const ports = { metrics, log, limits };
  const upgrades = createUpgrades((req, res, forward) => {
    current.handle(req, res, forward);
  }, ports);
  let closing = false;
  const accept: AcceptOptions = {
    ...ports,
    faults,
    proxyProtocol: options.proxyProtocol === true,
    waiting: new Set(),
    trusts: (peer) => current.trusts(peer),
  };
  const forward = boundByAddress(ports, createForward(ports));
  const intake: Intake = {
    handle: (req, res) => {
      current.handle(req, res, forward);
    },
    upgrade: upgrades.handle,
    limits,
    accept,
    isClosing: () => closing,
  };
  const plain = createCleartextFront(intake);
  const forwardAuth = serveAccepted(
    createForwardAuthServer((req, res) => current.forwardAuth(req, res), limits, intake.isClosing),
    { ...accept, proxyProtocol: false },
  );
  const extAuthz = new ExtAuthzSide(() => current.extAuthz, accept);
  metrics.gauge('guard_gateway_one_address', () => (oneAddress.isOneAddress() ? 1 : 0));
  const shared = options.sharedAddress;

  async function close(): Promise<void> {
    closing = true;
    plain.drain();
    const drained = Promise.all([
      drain(plain.server, limits.drainMs, () => {
        plain.cut();
        upgrades.close();
      }),
      https.close(limits.drainMs),
      drain(forwardAuth, limits.drainMs, () => undefined),
      extAuthz.close(limits.drainMs),
    ]);
    // A tunnel may never end by itself, so it is ended here. A connection that has not sent its PROXY header has no
    // request under way.
    upgrades.close();
    for (const socket of accept.waiting) socket.destroy();
    await drained;
    await origins.destroy();
  }

  return {
    listen: (address) => listen(plain.server, address, { scheme: 'http', shared }),
    listenTls: (address) => {
      metrics.gauge('guard_gateway_certificate_expiry_timestamp_seconds', () => https.expiry());
      return https.listen(intake, address, shared);
    },
    listenForwardAuth: (address) =>
      listen(forwardAuth, address, { scheme: 'http', shared: undefined }),
    listenExtAuthz: (address) => extAuthz.listen(address),
    reload: (settings) => {
      const show = https.prepare(settings.certificates ?? []);
      current = build(settings);
      oneAddress.restart();
      show();
    },
    showIssued: (certificates) => {
      https.showIssued(certificates);
    },
    close,
  };
}

/** The parts that a reload replaces. */
interface CurrentSettings {
  readonly handle: Handle;
  readonly forwardAuth: ForwardAuth;
  readonly extAuthz: ExtAuthz;
  readonly trusts: Trusts;
}

const WHICH_HEADER =
  'X-Forwarded-For and Forwarded name different visitors: say in forwarded_header which one your proxy writes';

/** The parts that a reload does not replace. */
interface KeptOverReloads {
  readonly limits: GatewayLimits;
  readonly origins: OriginRegistry;
  readonly oneAddress: OneAddressWatch;
  readonly faults: Log;
  readonly https: HttpsSide;
}

/** Builds the parts that a reload replaces from the settings. When that fails, it throws and changes nothing. */
function createSettingsBuilder(
  { events, clock, log, metrics, tracing, challenges }: GatewayOptions,
  { limits, origins, oneAddress, faults, https }: KeptOverReloads,
): (settings: GatewaySettings) => CurrentSettings {
  const failPolicy = createFailPolicy({ metrics, log, clock });
  const judge = createJudge(failPolicy, limits.askTimeoutMs, events);
  const undecided = (peer: string): void => {
    metrics.count('guard_gateway_forwarded_undecided_total');
    faults('warn', 'gateway_forwarded_undecided', { peer, advice: WHICH_HEADER });
  };
  const heldAnswers = new HeldAnswers(clock, FORWARD_AUTH_LIMITS);
  const uploads = new UploadsUnderWay(limits.collectorBytes);

  return (settings) => {
    const { trustedProxies, forwardedHeader } = settings;
    const trusts = createTrust(trustedProxies);
    const draft = origins.draft();
    const stages = {
      limits,
      log,
      metrics,
      tracing,
      sites: createSites(settings, draft.originsOf),
      connectionOf: createConnections(trusts),
      clientOf: oneAddress.wrap(createClientOf(trustedProxies, forwardedHeader, undecided)),
      judge,
      uploads,
      heldAnswers,
      faults,
    };
    const earlyAnswers = [
      ...(challenges ? [createAcmeAnswer(challenges)] : []),
      ...(settings.redirectHttps === true ? [createRedirect(https)] : []),
    ];
    draft.commit();
    // Proxies that ask by forward-auth write X-Forwarded-For (read-question.ts).
    const asked = {
      ...stages,
      clientOf: oneAddress.wrap(createClientOf(trustedProxies, 'x-forwarded-for', undecided)),
    };
    return {
      handle: createHandle({ ...stages, earlyAnswers }),
      forwardAuth: createForwardAuth(asked, createHandle(asked)),
      extAuthz: createExtAuthz(asked),
      trusts,
    };
  };
}
