import type { SessionStore } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import { valueOfReading, type Readings } from '../../../page-contract/evidence.ts';
import { measures, scaleOf } from '../evidence/judges/layout.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { DECOY_PREFIX } from './answer-witness.ts';
import type { ExpectedWitnesses } from './witnesses.ts';

/**
 * Returns the reason why the upload does not pass: the page loaded a decoy, or its measurements of images and of fonts
 * are both wrong. Correct measurements of one kind are enough, because some people block images or fonts. Undefined
 * when there is no such reason. Rejects only when the store rejects.
 */
export async function judgeWitnesses(
  ticket: Pick<Ticket, 'id' | 'witnessed'>,
  { witnesses }: Pick<Readings, 'witnesses'>,
  expectedWitnesses: readonly ExpectedWitnesses[],
  store: Pick<SessionStore, 'remembers'>,
): Promise<Reason | undefined> {
  if (!ticket.witnessed) return undefined;
  if (await store.remembers(DECOY_PREFIX, ticket.id)) return 'witness_mismatch';
  const [side = 0, , ...sizes] = valueOfReading(witnesses)?.sizes ?? [];
  const scale = scaleOf({ side });
  const hasExpectedSizes = expectedWitnesses.some(({ images, fonts }) => {
    const sizesAt = (places: Iterable<number>, values: 1 | 2) =>
      [...places].flatMap((place) => sizes.slice(2 * place, 2 * place + values));
    return (
      measures(sizesAt(images.keys(), 2), scale, [...images.values()].flat()) ||
      measures(sizesAt(fonts.keys(), 1), scale, [...fonts.values()])
    );
  });
  return hasExpectedSizes ? undefined : 'challenge_incomplete';
}
