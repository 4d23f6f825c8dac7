import type { TlsCertificate } from '@guard/config/settings/tls';
import type { Log } from '@guard/config/contract/ports';
import { createClientOf } from './arrive/client-ip.ts';
import { createSites } from './arrive/match-site.ts';
import { createForwardAuth, type ForwardAuth } from './forward-auth/forward-auth.ts';
import { HeldAnswers } from './forward-auth/held-answers.ts';
import { FORWARD_AUTH_LIMITS } from './forward-auth/limits.ts';
import { createHandle, type Handle } from './handle.ts';
import { createFailPolicy } from './judge/fail-policy.ts';
import { createJudge } from './judge/judge.ts';
import type { GatewayLimits } from './base/limits.ts';
import { createConnections, trackUnderway } from './listen/connection.ts';
import type { OneAddressWatch } from './arrive/one-address.ts';
import { createTrust, type Trusts } from './listen/peer.ts';
import type { GatewayOptions, GatewaySettings } from './base/options.ts';
import type { OriginRegistry } from './origin/origin-registry.ts';

/** What one reading of the settings leads to. */
export interface InForce {
  readonly handle: Handle;
  readonly forwardAuth: ForwardAuth;
  readonly trusts: Trusts;
  readonly certificates: readonly TlsCertificate[];
}

const WHICH_HEADER =
  'X-Forwarded-For and Forwarded name different visitors: say in forwarded_header which one your proxy writes';

/** What stays, however often settings are read. */
interface Lasting {
  readonly limits: GatewayLimits;
  readonly origins: OriginRegistry;
  readonly oneAddress: OneAddressWatch;
  readonly faults: Log;
}

/** Builds what settings lead to, around what stays. Throws, with everything as it was, when nothing can be built. */
export function createBuild(
  { events, clock, log, metrics, tracing }: GatewayOptions,
  { limits, origins, oneAddress, faults }: Lasting,
): (settings: GatewaySettings) => InForce {
  const underwayOf = trackUnderway();
  const failPolicy = createFailPolicy({ metrics, log, clock });
  const judge = createJudge(failPolicy, limits.askTimeoutMs, events);
  const undecided = (peer: string): void => {
    metrics.count('guard_gateway_forwarded_undecided_total');
    faults('warn', 'gateway_forwarded_undecided', { peer, advice: WHICH_HEADER });
  };
  const held = new HeldAnswers(clock, FORWARD_AUTH_LIMITS);

  return (settings) => {
    const { trustedProxies, forwardedHeader, certificates = [] } = settings;
    const trusts = createTrust(trustedProxies);
    const draft = origins.draft();
    const stages = {
      limits,
      log,
      metrics,
      tracing,
      sites: createSites(settings, draft.originsOf),
      connectionOf: createConnections(trusts, underwayOf),
      clientOf: oneAddress.over(createClientOf(trustedProxies, forwardedHeader, undecided)),
      judge,
      held,
      faults,
    };
    draft.commit();
    // Proxies that ask write X-Forwarded-For: read-question.ts.
    const asked = {
      ...stages,
      clientOf: oneAddress.over(createClientOf(trustedProxies, 'x-forwarded-for', undecided)),
    };
    return {
      handle: createHandle(stages),
      forwardAuth: createForwardAuth(asked, createHandle(asked)),
      trusts,
      certificates,
    };
  };
}
