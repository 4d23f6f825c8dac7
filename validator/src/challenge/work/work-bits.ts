import { CHALLENGE } from '@guard/config/contract/limits';
import { isReason, reasons } from '@guard/config/contract/reasons';
import type { Strengths } from '../../verdict/strengths.ts';
import { weigh } from '../../verdict/weigh.ts';
import type { Judgement } from '../evidence/judge.ts';
import type { Ticket } from '../tickets/ticket.ts';

/**
 * How many bits of work an upload needs before it gets a session. Two kinds of uploads need work: doubtful uploads, and
 * uploads whose page request came from another client than its User-Agent claims. This second case is not a doubt,
 * because programs that inspect TLS on people's machines cause it every day.
 */
export function workBitsFor(
  { found }: Pick<Ticket, 'found'>,
  { kind }: Pick<Judgement, 'kind'>,
  strengths: Strengths,
): number {
  const clientMismatches = found
    .filter(isReason)
    .filter((reason) => reasons[reason].category === 'fingerprint_mismatch');
  const needsWork = kind === 'doubtful' || weigh(clientMismatches, false, strengths) !== 'clean';
  return needsWork ? CHALLENGE.work.ofDoubt : 0;
}
