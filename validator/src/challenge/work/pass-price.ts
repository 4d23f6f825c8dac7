import { CHALLENGE } from '@guard/config/contract/limits';
import type { Clock, SessionStore } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { PassRates } from './pass-rates.ts';
import { connectionOf } from '../../request/client-class.ts';

/**
 * Number of price levels. The budget of each level is twice as large as that of the level before, and a used-up budget
 * adds one bit of work.
 */
const LEVELS = 5;
const FIRST_BITS = CHALLENGE.work.max - LEVELS + 1;
/** Maximum price level of a client class. It is small, because people of this class have to do the work too. */
const MAX_OF_CLASS = 3;

/**
 * Decides how much work a new pass costs. The store counts the passes of each network (/24, or /64 with the surrounding
 * /56 and /48) for all threads and instances. Each thread also counts the passes of each client class, and compares
 * them with the past of this class.
 */
export class PassPrice {
  readonly #budgets: readonly { readonly counter: string; readonly charges: AddressCharges }[];
  readonly #passRates: PassRates;

  /** The price of an organisation. Undefined when any number of passes is free. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    clock: Clock,
  ): PassPrice | undefined {
    return challenge.free_passes === false
      ? undefined
      : new PassPrice(id, challenge.free_passes, clock());
  }

  constructor(
    organisation: string,
    { passes, per }: { passes: number; per: number },
    nowMs: number,
  ) {
    this.#passRates = new PassRates(nowMs);
    this.#budgets = Array.from({ length: LEVELS }, (_, level) => ({
      // The budget names of rules contain a blank. These names contain none, so they never collide.
      counter: `new-passes-${level}:${organisation}`,
      charges: compileAddressCharges({ requests: passes * 2 ** level, perMs: per }),
    }));
  }

  /** Counts one new pass and returns its bits of work. 0 means no work. */
  async bits(ticket: Ticket, store: SessionStore, nowMs: number): Promise<number> {
    const networkLevel = await this.countForNetwork(ticket, store);
    // When a network has used up its free passes, its further passes are not counted for the class. So one network
    // cannot raise the price of a whole class.
    const count = networkLevel === 0 ? 1 : 0;
    const classLevel = this.#passRates.level(connectionOf(ticket.client), nowMs, count);
    const level = Math.max(networkLevel, Math.min(MAX_OF_CLASS, classLevel));
    return level === 0 ? 0 : FIRST_BITS + level - 1;
  }

  /** Counts an upload only for its network. Returns how many budgets the network has used up. */
  async countForNetwork({ network }: Ticket, store: SessionStore): Promise<number> {
    // The first address of a network identifies the network.
    const [address = ''] = network.split('/');
    let level = 0;
    for (const { counter, charges } of this.#budgets) {
      if ((await store.takeAll(counter, charges(address))) === 0) break;
      level += 1;
    }
    return level;
  }
}
