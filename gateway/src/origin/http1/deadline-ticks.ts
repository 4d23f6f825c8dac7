import type { GatewayLimits } from '../../limits.ts';
import { HTTP1_LIMITS } from './limits.ts';

type Wait = 'connect' | 'head' | 'body';

/**
 * Time as a count of sweeps. Setting a deadline is one addition, however many requests wait, and no
 * timer is made for any of them; it is looked at with every sweep.
 */
export class DeadlineTicks {
  /** Sweeps so far. */
  now = 0;
  readonly #waits: Readonly<Record<Wait, number>>;

  constructor(limits: GatewayLimits) {
    this.#waits = {
      connect: ticksOf(limits.originConnectMs) + 1,
      head: ticksOf(limits.originHeadersMs) + 1,
      body: ticksOf(limits.originBodyIdleMs) + 1,
    };
  }

  /** The tick at which this wait has lasted for its limit at least: the present one has begun already. */
  in(wait: Wait): number {
    return this.now + this.#waits[wait];
  }
}

/** Sweeps that fill a time, the last one not cut short. */
export function ticksOf(ms: number): number {
  return Math.ceil(ms / HTTP1_LIMITS.sweepMs);
}
