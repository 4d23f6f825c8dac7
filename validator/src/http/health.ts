import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { KeyRing } from '@guard/config/settings/keys/key-ring';
import type { Organisation } from '@guard/config/settings/schema';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * `stranger` has no valid key or token. `outsider` has a health key or is a load balancer. `internal` has the health
 * check token.
 */
type HealthCaller = 'stranger' | 'outsider' | 'internal';

export type HealthCheck = (headers: IncomingHttpHeaders) => HealthCaller;

/**
 * The User-Agent of the health checks of Google Cloud's load balancer, `GoogleHC/1.0`, in lower case and without its
 * version. At the collector, contract 5 admits this User-Agent without a key. Any client can send it, so the answer
 * only shows whether the collector is ready.
 */
const CLOUD_HEALTH_AGENT = 'googlehc/';

/** Authorises `GET /health` (contract 5) by the header `x-health-check-token`, or by a health key in `x-api-key`. */
export function createHealthCheck(options: {
  readonly organisations: readonly Pick<Organisation, 'secret_keys'>[];
  readonly healthToken: Buffer | undefined;
  readonly clock: Clock;
}): HealthCheck {
  const ring = new KeyRing(
    options.organisations.flatMap(({ secret_keys }) => secret_keys.filter(({ health }) => health)),
  );
  return (headers) => {
    const token = headers['x-health-check-token'];
    if (typeof token === 'string' && options.healthToken !== undefined) {
      const tokenHash = createHash('sha256').update(token).digest();
      if (timingSafeEqual(tokenHash, options.healthToken)) return 'internal';
    }
    const key = headers['x-api-key'];
    const isKnownKey = typeof key === 'string' && ring.find(key, options.clock()) !== undefined;
    return isKnownKey ? 'outsider' : 'stranger';
  };
}

/** The health check of the collector. It also admits a cloud load balancer (contract 5). */
export function orCloudHealthAgent(isHealthAuthorised: HealthCheck): HealthCheck {
  return (headers) => {
    const caller = isHealthAuthorised(headers);
    if (caller !== 'stranger') return caller;
    const agent = headers['user-agent']?.toLowerCase() ?? '';
    return agent.startsWith(CLOUD_HEALTH_AGENT) ? 'outsider' : 'stranger';
  };
}
