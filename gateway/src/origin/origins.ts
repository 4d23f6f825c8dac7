import type { Clock } from '@guard/config/contract/ports';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import type { GatewayLimits } from '../base/limits.ts';
import type { Lane, OpenOrigin, Origin, Origins, Capacity, Turns } from './origin.ts';

/**
 * Finds the origins of one site, by the name of the site and their addresses. `headersMs` is how long an answer may
 * take to begin. It is undefined when the site does not limit this time.
 */
export type OriginsOf = (
  site: string,
  addresses: readonly OriginAddress[],
  headersMs: number | undefined,
) => Origins;

/** Makes the client of one origin. `headersMs` has the same meaning as in OriginsOf. */
export type Connect = (address: OriginAddress, headersMs: number | undefined) => OpenOrigin;

/** The origins for new settings. `commit` makes them the current origins. */
interface OriginDraft {
  readonly originsOf: OriginsOf;
  commit(): void;
}

/**
 * The origins to which a gateway has connections. When a site keeps an address at a reload, it also keeps the
 * connections and the count of requests under way. An origin that was removed stays open for `originRetireMs`, so that
 * requests that began before can still be sent and repeated.
 */
export class OriginRegistry {
  readonly #connect: Connect;
  readonly #retireMs: number;
  readonly #retiredOrigins = new Map<OpenOrigin, NodeJS.Timeout>();
  readonly #health = new WeakMap<Origin, OriginHealth>();
  readonly #clock: Clock;
  #open: ReadonlyMap<string, OpenOrigin> = new Map();

  constructor(
    connect: Connect,
    { originRetireMs }: Pick<GatewayLimits, 'originRetireMs'>,
    clock: Clock,
  ) {
    this.#connect = connect;
    this.#retireMs = originRetireMs;
    this.#clock = clock;
  }

  draft(): OriginDraft {
    const draftedOrigins = new Map<string, OpenOrigin>();
    return {
      originsOf: (site, addresses, headersMs) => {
        const origins = addresses.map((address, index) => {
          // The settings can list an address twice, so that it gets a larger share of the requests. Then each entry has
          // its own connections.
          const key = JSON.stringify([site, index, address, headersMs]);
          const origin = this.#open.get(key) ?? this.#connect(address, headersMs);
          draftedOrigins.set(key, origin);
          return origin;
        });
        const turns = takeTurns<Origin>(origins, (origin) => this.#healthOf(origin));
        return { ...turns, capacityOf: (lane) => totalCapacity(origins, lane) };
      },
      commit: () => {
        for (const [key, origin] of this.#open) if (!draftedOrigins.has(key)) this.#retire(origin);
        this.#open = draftedOrigins;
      },
    };
  }

  /** Cuts every connection. */
  async destroy(): Promise<void> {
    for (const timer of this.#retiredOrigins.values()) clearTimeout(timer);
    const openAndRetired = [...this.#open.values(), ...this.#retiredOrigins.keys()];
    await Promise.all(openAndRetired.map((origin) => origin.destroy()));
  }

  #healthOf(origin: Origin): OriginHealth {
    const health = this.#health.get(origin) ?? new OriginHealth(this.#clock);
    this.#health.set(origin, health);
    return health;
  }

  #retire(origin: OpenOrigin): void {
    const timer = setTimeout(() => {
      this.#retiredOrigins.delete(origin);
      void origin.close();
    }, this.#retireMs);
    timer.unref();
    this.#retiredOrigins.set(origin, timer);
  }
}

function totalCapacity(origins: readonly Origin[], lane: Lane): Capacity {
  let total = 0;
  let free = 0;
  for (const origin of origins) {
    const capacity = origin.capacityOf(lane);
    total += capacity.total;
    free += capacity.free;
  }
  return { total, free };
}

/**
 * How long an unreachable origin gets no request: first the pause after the first failed try, then the longest pause
 * after several failed tries. In milliseconds.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Whether one origin can be reached. Only real requests show this, because Guard sends no probes. The state belongs to
 * the origin and not to the settings, so a reload does not reset it.
 */
export class OriginHealth {
  readonly #clock: Clock;
  /** The pause in milliseconds. 0 while the origin can be reached. */
  #pauseMs = 0;
  #pausedAt = 0;
  #trialSent = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether a request should go to this origin, if there is a choice. After each pause one request is admitted. So when
   * such a request never reports its result, later requests can still try the origin.
   */
  admits(): boolean {
    if (this.#pauseMs === 0) return true;
    const now = this.#clock();
    const passedMs = now - this.#pausedAt;
    // A negative value means that the clock was set back. Then the pause ends at once, because it could last very long
    // otherwise.
    if (passedMs >= 0 && passedMs < this.#pauseMs) return false;
    this.#pausedAt = now;
    this.#trialSent = true;
    return true;
  }

  /** Reports an attempt: whether a connection could be made. The answer does not matter. */
  report(wasReached: boolean): void {
    if (wasReached) {
      this.#pauseMs = 0;
      this.#trialSent = false;
      return;
    }
    // Many requests can be under way when an origin becomes unreachable. Together they are counted as one failure.
    if (this.#pauseMs > 0 && !this.#trialSent) return;
    this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2), LONGEST_PAUSE_MS);
    this.#pausedAt = this.#clock();
    this.#trialSent = false;
  }
}

/**
 * Chooses the origins of one site in turn, and leaves out origins that cannot be reached. When no origin can be
 * reached, all of them are tried, because an old failure is no reason to refuse a visitor.
 */
export function takeTurns<T>(
  origins: readonly T[],
  healthOf: (origin: T) => OriginHealth,
): Turns<T> {
  const [first] = origins;
  if (first === undefined) throw new TypeError('a site needs an origin');
  const count = origins.length;
  // With one origin there is nothing to choose.
  if (count === 1) return { count, next: () => first, report: () => undefined };

  const health = new Map(origins.map((origin) => [origin, healthOf(origin)]));
  let turn = 0;
  const nextInTurn = (): T => {
    turn = (turn + 1) % count;
    return origins[turn] ?? first;
  };

  return {
    count,
    next: () => {
      for (let step = 0; step < count; step++) {
        const origin = nextInTurn();
        if (health.get(origin)?.admits() === true) return origin;
      }
      return nextInTurn();
    },
    report: (origin, wasReached) => {
      health.get(origin)?.report(wasReached);
    },
  };
}
