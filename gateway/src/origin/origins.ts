import type { Clock } from '@guard/config/contract/ports';
import type { Origin as OriginAddress } from '@guard/config/settings/values/values';
import type { GatewayLimits } from '../base/limits.ts';
import type { OpenOrigin, Origin, Origins } from './origin.ts';

/** The origins of one site, by its name and their addresses. */
export type OriginsOf = (site: string, addresses: readonly OriginAddress[]) => Origins;

/** Origins for a new table of sites, which takes the place of the last one when it is whole. */
interface OriginDraft {
  readonly originsOf: OriginsOf;
  commit(): void;
}

/**
 * Every origin that a gateway has connections to. A site that keeps an address when the settings are
 * read again keeps its connections and its count of requests under way. An origin that no site has any
 * more stays open for `originRetireMs`, so that what began before can still be sent, and sent again.
 */
export class OriginRegistry {
  readonly #connect: (address: OriginAddress) => OpenOrigin;
  readonly #retireMs: number;
  readonly #retired = new Map<OpenOrigin, NodeJS.Timeout>();
  /** Belongs to the origins, so a reload forgets none of it. */
  readonly #health = new WeakMap<Origin, OriginHealth>();
  readonly #clock: Clock;
  #open: ReadonlyMap<string, OpenOrigin> = new Map();

  /** `connect` makes the client of one origin. */
  constructor(
    connect: (address: OriginAddress) => OpenOrigin,
    { originRetireMs }: Pick<GatewayLimits, 'originRetireMs'>,
    clock: Clock,
  ) {
    this.#connect = connect;
    this.#retireMs = originRetireMs;
    this.#clock = clock;
  }

  draft(): OriginDraft {
    const drafted = new Map<string, OpenOrigin>();
    return {
      originsOf: (site, addresses) =>
        takeTurns<Origin>(
          addresses.map((address, index) => {
            // An address may stand twice, to get a larger share: then each has its own connections.
            const key = JSON.stringify([site, index, address]);
            const origin = this.#open.get(key) ?? this.#connect(address);
            drafted.set(key, origin);
            return origin;
          }),
          (origin) => this.#healthOf(origin),
        ),
      commit: () => {
        for (const [key, origin] of this.#open) if (!drafted.has(key)) this.#retire(origin);
        this.#open = drafted;
      },
    };
  }

  /** Cuts every connection. */
  async destroy(): Promise<void> {
    for (const timer of this.#retired.values()) clearTimeout(timer);
    const all = [...this.#open.values(), ...this.#retired.keys()];
    await Promise.all(all.map((origin) => origin.destroy()));
  }

  #healthOf(origin: Origin): OriginHealth {
    const health = this.#health.get(origin) ?? new OriginHealth(this.#clock);
    this.#health.set(origin, health);
    return health;
  }

  #retire(origin: OpenOrigin): void {
    const timer = setTimeout(() => {
      this.#retired.delete(origin);
      void origin.close();
    }, this.#retireMs);
    timer.unref();
    this.#retired.set(origin, timer);
  }
}

/** How long no request goes to an origin that was out of reach: at first, and after many tries. Milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Whether one origin can be reached, as far as requests to it have shown: nothing is sent to find out.
 * It belongs to the origin and not to the settings, so it outlasts a reload.
 */
export class OriginHealth {
  readonly #clock: Clock;
  /** 0 while it can be reached. */
  #pauseMs = 0;
  #pauseFrom = 0;
  #tried = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether a request should go there, if there is a choice. When a pause has passed, that is true for
   * one request, and for the next one after another pause: a request that never reports does not block the next one.
   */
  admits(): boolean {
    if (this.#pauseMs === 0) return true;
    const now = this.#clock();
    const passedMs = now - this.#pauseFrom;
    // Below zero the clock was set back, and the pause would have no end.
    if (passedMs >= 0 && passedMs < this.#pauseMs) return false;
    this.#pauseFrom = now;
    this.#tried = true;
    return true;
  }

  /** How an attempt ended: there was a connection, or none could be made. The answer does not matter. */
  report(reached: boolean): void {
    if (reached) {
      this.#pauseMs = 0;
      this.#tried = false;
      return;
    }
    // Many requests can be under way when an origin goes. Together they are one failure.
    if (this.#pauseMs > 0 && !this.#tried) return;
    this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2), LONGEST_PAUSE_MS);
    this.#pauseFrom = this.#clock();
    this.#tried = false;
  }
}

export interface Turns<T> {
  /** The next one in turn that can be reached, as far as is known. */
  readonly next: () => T;
  /** Says how an attempt at one of them ended: OriginHealth.report. */
  readonly report: (origin: T, reached: boolean) => void;
  readonly count: number;
}

/**
 * Takes the origins of one site in turn, and leaves out those that cannot be reached. Where none can, all
 * are tried: what was seen a while ago is no reason to refuse a visitor.
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
  const inTurn = (): T => {
    turn = (turn + 1) % count;
    return origins[turn] ?? first;
  };

  return {
    count,
    next: () => {
      for (let step = 0; step < count; step++) {
        const origin = inTurn();
        if (health.get(origin)?.admits() === true) return origin;
      }
      return inTurn();
    },
    report: (origin, reached) => {
      health.get(origin)?.report(reached);
    },
  };
}
