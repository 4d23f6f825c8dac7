import { CHALLENGE } from '@guard/config/contract/limits';
import { isReason, reasons } from '@guard/config/contract/reasons';
import type { Strengths } from '../../verdict/strengths.ts';
import { weigh } from '../../verdict/weigh.ts';
import type { Judgement } from '../evidence/judge.ts';
import type { Ticket } from '../tickets/ticket.ts';

/**
 * Bits of work without which this answer gives no session. A pass does not wipe away that the request of its page came
 * from another client than its User-Agent names. That is no doubt, because programs which inspect TLS on people's
 * machines show it each day.
 */
export function bitsOf(
  { found }: Pick<Ticket, 'found'>,
  { kind }: Pick<Judgement, 'kind'>,
  strengths: Strengths,
): number {
  const ofClient = found
    .filter(isReason)
    .filter((reason) => reasons[reason].category === 'fingerprint_mismatch');
  const isAsked = kind === 'doubtful' || weigh(ofClient, false, strengths) !== 'clean';
  return isAsked ? CHALLENGE.work.ofDoubt : 0;
}
