import { CHALLENGE } from '@guard/config/contract/limits';
import { isReason, reasons } from '@guard/config/contract/reasons';
import type { Strengths } from '../../verdict/strengths.ts';
import { weigh } from '../../verdict/weigh.ts';
import type { Judgement } from '../evidence/judge.ts';
import type { Ticket } from '../tickets/ticket.ts';

/**
 * The bits of work that this answer needs for a session. An answer needs work although it passes when the request of
 * the page came from another client than its User-Agent claims. This is no doubt, because programs that inspect TLS on
 * people's machines cause it every day.
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
