import { CHALLENGE } from '@guard/config/contract/limits';
import type { Answers } from '../evidence.ts';
import { type Answered, fieldsOf } from '../exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { denialOf, instantOf } from '../guard-page.ts';
import { signOfCache } from '../kept-in-front.ts';
import { type Check, ofAnswers } from './check.ts';

const NOTICEABLE_MS = 5_000;

/** Whether Guard's clock and this machine's agree. */
export const clock: Check = { name: 'clock', judge: ofAnswers(judge) };

function judge(answers: Answers): Outcome {
  if (signOfCache(answers) !== undefined) {
    return unchecked('the answers come from a cache, and tell an old time');
  }
  const told = ownTime(answers) ?? frontTime(answers.page);
  if (told === undefined) return unchecked('no answer tells a time');
  const { sentAtMs, answeredAtMs } = told.answer;
  // The answer was made at some moment between: only what lies outside is off for certain.
  const offMs = Math.max(0, sentAtMs - told.lastMs, told.firstMs - answeredAtMs);
  const direction = told.lastMs < sentAtMs ? 'behind' : 'ahead of';
  const found = `${told.whose} clock is ${(offMs / 1000).toFixed(1)} s ${direction} the one here`;
  if (offMs < NOTICEABLE_MS) return ok(`${told.whose} clock and the one here agree`);
  const why =
    'Challenges, keys and events are dated by it, and instances that share a secret have to agree within a minute.';
  const advice = 'Keep the clocks of both machines with NTP.';
  return offMs > CHALLENGE.clockSkewMs ? problem(found, why, advice) : warning(found, why, advice);
}

interface ToldTime {
  readonly whose: string;
  readonly answer: Answered;
  /** The time that was told, from and to: fields of HTTP have whole seconds. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The id of a request that Guard denied says when it came, in milliseconds. */
function ownTime({ problem: asProgram }: Answers): ToldTime | undefined {
  const instant = instantOf(denialOf(asProgram)?.requestId ?? '');
  if (instant === undefined || asProgram.kind === 'failed') return undefined;
  return { whose: "Guard's", answer: asProgram, firstMs: instant, lastMs: instant };
}

/** Date (RFC 9110 6.6.1) may be the clock of a proxy. */
function frontTime(page: Answered): ToldTime | undefined {
  const [date] = fieldsOf(page, 'date');
  const second = Date.parse(date ?? '');
  if (Number.isNaN(second)) return undefined;
  return { whose: "the front's", answer: page, firstMs: second, lastMs: second + 999 };
}
