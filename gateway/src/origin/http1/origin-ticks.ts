import { DeadlineTicks } from '../../base/deadline-ticks.ts';
import type { GatewayLimits } from '../../base/limits.ts';
import { HTTP1_LIMITS } from './limits.ts';

/** Deadlines of what an origin is waited for. */
export type OriginTicks = DeadlineTicks<'connect' | 'head' | 'body'>;

export function originTicks(limits: GatewayLimits): OriginTicks {
  return new DeadlineTicks(
    {
      connect: limits.originConnectMs,
      head: limits.originHeadersMs,
      body: limits.originBodyIdleMs,
    },
    HTTP1_LIMITS.sweepMs,
  );
}
