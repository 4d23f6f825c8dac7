import { CHALLENGE } from '@guard/config/contract/limits';
import type { Clock, SessionStore } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { Tempo } from './tempo.ts';
import { connectionOf } from '../../request/client-class.ts';

/** Number of budgets above the free passes. Each is twice as large as the one before, and costs one more bit. */
const LEVELS = 5;
const FIRST_BITS = CHALLENGE.work.max - LEVELS + 1;
/** Maximum level of a class of clients. It is small, because people of this class have to do the work too. */
const MAX_OF_CLASS = 3;

/**
 * Decides how much work a new pass costs. Passes are counted for each network (/24, or /64 with the surrounding /56 and
 * /48) in the store of all threads and instances. They are also counted for each class of clients, and compared with
 * the past of this class.
 */
export class PassPrice {
  readonly #budgets: readonly { readonly counter: string; readonly charges: AddressCharges }[];
  readonly #tempo: Tempo;

  /** Undefined when the organisation requires no work for any number of passes. */
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
    this.#tempo = new Tempo(nowMs);
    this.#budgets = Array.from({ length: LEVELS }, (_, level) => ({
      // The name of a rule's budget has a blank. These names have none, so both never collide.
      counter: `new-passes-${level}:${organisation}`,
      charges: compileAddressCharges({ requests: passes * 2 ** level, perMs: per }),
    }));
  }

  /** Counts one new pass and returns the bits of work for it. 0 means none. */
  async bits(ticket: Ticket, store: SessionStore, nowMs: number): Promise<number> {
    const networkLevel = await this.countForNetwork(ticket, store);
    // A network pays itself for passes above its free ones, so one network cannot make a class work.
    const count = networkLevel === 0 ? 1 : 0;
    const classLevel = this.#tempo.level(connectionOf(ticket.client), nowMs, count);
    const level = Math.max(networkLevel, Math.min(MAX_OF_CLASS, classLevel));
    return level === 0 ? 0 : FIRST_BITS + level - 1;
  }

  /** Counts an upload only for its network. Returns how many budgets the network has used up. */
  async countForNetwork({ network }: Ticket, store: SessionStore): Promise<number> {
    // A network is counted by its first address.
    const [address = ''] = network.split('/');
    let level = 0;
    for (const { counter, charges } of this.#budgets) {
      if ((await store.takeAll(counter, charges(address))) === 0) break;
      level += 1;
    }
    return level;
  }
}
