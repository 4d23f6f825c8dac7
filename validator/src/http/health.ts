import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { KeyRing } from '@guard/config/settings/key-ring';
import type { Organisation } from '@guard/config/settings/schema';
import type { IncomingHttpHeaders } from 'node:http';

/** Who asks for health: nobody we know, a customer with a health key, or our own monitoring. */
export type HealthCaller = 'stranger' | 'customer' | 'internal';

/** Authorises `GET /health` (spec 5): `x-health-check-token`, or `x-api-key` of a health key. */
export function createHealthCheck(options: {
  readonly organisations: readonly Pick<Organisation, 'secret_keys'>[];
  readonly healthToken: Buffer | undefined;
  readonly clock: Clock;
}): (headers: IncomingHttpHeaders) => HealthCaller {
  const ring = new KeyRing(
    options.organisations.flatMap(({ secret_keys }) => secret_keys.filter(({ health }) => health)),
  );
  return (headers) => {
    const token = headers['x-health-check-token'];
    if (typeof token === 'string' && options.healthToken !== undefined) {
      const presented = createHash('sha256').update(token).digest();
      if (timingSafeEqual(presented, options.healthToken)) return 'internal';
    }
    const key = headers['x-api-key'];
    const known = typeof key === 'string' && ring.find(key, options.clock()) !== undefined;
    return known ? 'customer' : 'stranger';
  };
}
