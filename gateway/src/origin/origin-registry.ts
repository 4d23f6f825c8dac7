import type { Clock } from '@guard/config/contract/ports';
import type { Origin as OriginAddress } from '@guard/config/settings/values';
import type { GatewayLimits } from '../base/limits.ts';
import { OriginHealth, takeTurns } from './health.ts';
import type { OpenOrigin, Origin, Origins } from './origin.ts';

/** The origins of one site, by its name and their addresses. */
export type OriginsOf = (site: string, addresses: readonly OriginAddress[]) => Origins;

/** Origins for a new table of sites, which takes the place of the last one when it is whole. */
export interface OriginDraft {
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
