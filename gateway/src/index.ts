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
import { createFailPolicy } from './judge/fail-policy.ts';
import { createJudge } from './judge/judge.ts';
import { type AcceptOptions, type ServerParts, serveAccepted } from './listen/accept.ts';
import { createConnections, createTrust, type Trusts } from './listen/connection.ts';
import { drain, listen } from './listen/listen.ts';
import { UnreadAnswers } from './listen/unread-answers.ts';
import { UploadsUnderWay } from './message/upload.ts';
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
export { NodeResponse } from './http1/node-response.ts';
export { handleInTurn } from './http1/pipelining.ts';
export { AddressCounts } from './listen/accept.ts';
export { readUpload, UploadsUnderWay } from './message/upload.ts';
export { compileRoute, type IsProtected } from './arrive/sites.ts';

function openOrigins(limits: GatewayLimits, clock: Clock): OriginRegistry {
  const connect: Connect = (address, headersMs = limits.originHeadersMs) =>
    new Http1Origin(address, { ...limits, originHeadersMs: headersMs });
  return new OriginRegistry(connect, limits, clock);
}

/** Builds a gateway. It does not listen until one of its `listen` functions is called. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, log, metrics } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const origins = openOrigins(limits, clock);
  const throttledLog = createThrottledLog(log, clock, FORWARD_AUTH_LIMITS.logEveryMs);
  const oneAddress = watchForOneAddress(log, clock);
  const https = new HttpsSide(options.certificates ?? [], options.challenges);
  const lastingParts = { limits, origins, oneAddress, throttledLog, https };
  const build = createSettingsBuilder(options, lastingParts);
  let current = build(options);
  const ports = { metrics, log, limits };
  const upgrades = createUpgrades((req, res, forward) => {
    current.handle(req, res, forward);
  }, ports);
  let isClosing = false;
  const accept: AcceptOptions = {
    ...ports,
    throttledLog,
    proxyProtocol: options.proxyProtocol === true,
    introducing: new Set(),
    trusts: (peer) => current.trusts(peer),
    unread: new UnreadAnswers(limits),
  };
  const forward = boundByAddress(ports, createForward(ports));
  const parts: ServerParts = {
    handle: (req, res) => {
      current.handle(req, res, forward);
    },
    upgrade: upgrades.handle,
    limits,
    accept,
    isClosing: () => isClosing,
  };
  const cleartextFront = createCleartextFront(parts);
  const forwardAuth = serveAccepted(
    createForwardAuthServer((req, res) => current.forwardAuth(req, res), limits, parts.isClosing),
    { ...accept, proxyProtocol: false },
  );
  const extAuthz = new ExtAuthzSide(() => current.extAuthz, accept);
  metrics.gauge('guard_gateway_one_address', () => (oneAddress.isOneAddress() ? 1 : 0));
  const sharedAddress = options.sharedAddress;

  async function close(): Promise<void> {
    isClosing = true;
    cleartextFront.drain();
    const allDrained = Promise.all([
      drain(cleartextFront.server, limits.drainMs, () => {
        cleartextFront.cut();
        upgrades.close();
      }),
      https.close(limits.drainMs),
      drain(forwardAuth, limits.drainMs, () => undefined),
      extAuthz.close(limits.drainMs),
    ]);
    // Guard ends tunnels itself, because a tunnel may never end otherwise. It also ends connections without a complete
    // PROXY header, because they have no request under way.
    upgrades.close();
    for (const socket of accept.introducing) socket.destroy();
    await allDrained;
    await origins.destroy();
  }

  return {
    listen: (address) =>
      listen(cleartextFront.server, address, { scheme: 'http', shared: sharedAddress }),
    listenTls: (address) => {
      metrics.gauge('guard_gateway_certificate_expiry_timestamp_seconds', () => https.expiry());
      return https.listen(parts, address, sharedAddress);
    },
    listenForwardAuth: (address) =>
      listen(forwardAuth, address, { scheme: 'http', shared: undefined }),
    listenExtAuthz: (address) => extAuthz.listen(address),
    reload: (settings) => {
      const showCertificates = https.prepare(settings.certificates ?? []);
      current = build(settings);
      oneAddress.restart();
      showCertificates();
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

const FORWARDED_HEADER_ADVICE =
  'X-Forwarded-For and Forwarded name different visitors: say in forwarded_header which one your proxy writes';

/** The parts that a reload does not replace. */
interface LastingParts {
  readonly limits: GatewayLimits;
  readonly origins: OriginRegistry;
  readonly oneAddress: OneAddressWatch;
  readonly throttledLog: Log;
  readonly https: HttpsSide;
}

/**
 * Builds the parts that a reload replaces from the settings. When the settings are unusable, it throws and changes
 * nothing.
 */
function createSettingsBuilder(
  { events, clock, log, metrics, tracing, challenges }: GatewayOptions,
  { limits, origins, oneAddress, throttledLog, https }: LastingParts,
): (settings: GatewaySettings) => CurrentSettings {
  const failPolicy = createFailPolicy({ metrics, log, clock });
  const judge = createJudge(failPolicy, limits.askTimeoutMs, events);
  const reportUndecided = (peer: string): void => {
    metrics.count('guard_gateway_forwarded_undecided_total');
    throttledLog('warn', 'gateway_forwarded_undecided', { peer, advice: FORWARDED_HEADER_ADVICE });
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
      clientOf: oneAddress.wrap(createClientOf(trustedProxies, forwardedHeader, reportUndecided)),
      judge,
      uploads,
      heldAnswers,
      throttledLog,
    };
    const earlyAnswers = [
      ...(challenges ? [createAcmeAnswer(challenges)] : []),
      ...(settings.redirectHttps === true ? [createRedirect(https)] : []),
    ];
    draft.commit();
    // Proxies that ask by forward-auth write X-Forwarded-For (read-question.ts).
    const forwardAuthStages = {
      ...stages,
      clientOf: oneAddress.wrap(createClientOf(trustedProxies, 'x-forwarded-for', reportUndecided)),
    };
    return {
      handle: createHandle({ ...stages, earlyAnswers }),
      forwardAuth: createForwardAuth(forwardAuthStages, createHandle(forwardAuthStages)),
      extAuthz: createExtAuthz(forwardAuthStages),
      trusts,
    };
  };
}
