import { CHALLENGE } from '@guard/config/contract/limits';
import type { Clock, SessionStore } from '@guard/config/contract/ports';
import type { Organisation } from '@guard/config/settings/schema';
import { type AddressCharges, compileAddressCharges } from '../../rules/address-charges.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { Tempo } from './tempo.ts';
import { connectionOf } from '../../request/client-class.ts';

/** Above the free passes come this many budgets, each twice as large and with one bit more. */
const RUNGS = 5;
/** Bits of the first of them. */
const FIRST_BITS = CHALLENGE.work.max - RUNGS + 1;
/** Most levels for a class of clients: people have to do that work too. */
const MOST_OF_CLASS = 3;

/**
 * How much work a new pass costs. Passes are counted for each network (/24, or /64 with the /56 and /48 around it),
 * exactly, in the store that all threads and instances share; and for each class of clients against its own past.
 *
 * A network has a number of free passes, and not the median of all networks: on any site that median is one or two, so
 * a number would have to stand below it anyway.
 */
export class PassPrice {
  readonly #rungs: readonly { readonly counter: string; readonly charges: AddressCharges }[];
  readonly #tempo: Tempo;

  /** Undefined where the organisation asks for no work, however many pass. */
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
    this.#rungs = Array.from({ length: RUNGS }, (_, rung) => ({
      // A rule's budget has a blank in its name, and these have none.
      counter: `new-passes-${rung}:${organisation}`,
      charges: compileAddressCharges({ requests: passes * 2 ** rung, perMs: per }),
    }));
  }

  /** Counts one new pass, and gives the bits of work that it costs; 0 for none. */
  async bits(ticket: Ticket, store: SessionStore, nowMs: number): Promise<number> {
    const ofNetwork = await this.countForNetwork(ticket, store);
    // What a network has above its free passes it pays for itself: one network cannot make a class work.
    const count = ofNetwork === 0 ? 1 : 0;
    const level = this.#tempo.level(connectionOf(ticket.client), nowMs, count);
    const ofClass = Math.min(MOST_OF_CLASS, level);
    const levels = Math.max(ofNetwork, ofClass);
    return levels === 0 ? 0 : FIRST_BITS + levels - 1;
  }

  /** Counts an answer only for its network. Gives the number of budgets of the network that are used up. */
  async countForNetwork({ network }: Ticket, store: SessionStore): Promise<number> {
    // The first address of the network: it is what the network is counted by.
    const [address = ''] = network.split('/');
    let level = 0;
    for (const { counter, charges } of this.#rungs) {
      if ((await store.takeAll(counter, charges(address))) === 0) break;
      level += 1;
    }
    return level;
  }
}
