import { CHALLENGE } from '@guard/config/contract/limits';
import type { Answers, Evidence } from '../evidence.ts';
import { adviceOnDataAge, describeDataAge } from '../../running-guard/data-age.ts';
import { type Answered, fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { denialOf, instantOf } from '../guard-page.ts';
import { serversNamed, signOfCache } from '../kept-in-front.ts';
import { type Check, ofAnswers } from './check.ts';

const NOTICEABLE_MS = 5_000;

/** Whether the clocks of Guard and of this machine agree. */
export const clock: Check = { name: 'clock', judge: ofAnswers(judgeClock) };

function judgeClock(answers: Answers): Outcome {
  if (signOfCache(answers) !== undefined) {
    return unchecked('the answers come from a cache, and tell an old time');
  }
  const told = ownTime(answers) ?? frontTime(answers.page);
  if (told === undefined) return unchecked('no answer tells a time');
  const { sentAtMs, answeredAtMs } = told.answer;
  // The answer was created between these two times. Only a time outside is certainly wrong.
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
  /** Earliest and latest time of the answer: HTTP header fields have whole seconds. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The id of a denied request contains its time in milliseconds. */
function ownTime({ problem: asProgram }: Answers): ToldTime | undefined {
  const instant = instantOf(denialOf(asProgram)?.requestId ?? '');
  if (instant === undefined || asProgram.kind === 'failed') return undefined;
  return { whose: "Guard's", answer: asProgram, firstMs: instant, lastMs: instant };
}

/** Date (RFC 9110 6.6.1) may come from the clock of a proxy. */
function frontTime(page: Answered): ToldTime | undefined {
  const [date] = fieldsOf(page, 'date');
  const second = Date.parse(date ?? '');
  if (Number.isNaN(second)) return undefined;
  return { whose: "the front's", answer: page, firstMs: second, lastMs: second + 999 };
}

/** Whether headers for the origin reach the visitor. */
export const leaks: Check = { name: 'inner headers', judge: ofAnswers(judgeLeaks) };

function judgeLeaks({ page, again, problem: asProgram, returning, handshake }: Answers): Outcome {
  const answers = [page, again, asProgram, handshake, ...(returning ? [returning] : [])];
  const names = answers.flatMap((answer) =>
    answer.kind === 'answered' ? answer.fields.map(([name]) => name.toLowerCase()) : [],
  );
  const leaked = [...new Set(names.filter((name) => name.startsWith('x-guard-')))];
  if (leaked.length === 0) return ok('no X-Guard header reaches the visitor');
  return problem(
    `visitors see ${leaked.join(', ')}`,
    'They learn how they were judged, and can try until they pass.',
    'These headers are for your site. Do not send them back, and do not add them in the proxy.',
  );
}

/** Whether the embedded database stores the events of Guard. */
export const database: Check = { name: 'database', judge: judgeDatabase };

function judgeDatabase({ database: signs }: Evidence): Outcome {
  if (signs === undefined) {
    return unchecked(
      'no metrics of a database',
      'Say where the admin listener is: --config or --admin.',
    );
  }
  if (signs.failing) {
    return problem(
      'the analytics database does not start',
      'Visitors are served. Events wait in memory and on disk, and are dropped when both are full.',
      'GET /ready of the admin listener says why, and the log: analytics_engine_ended, analytics_waits_for_room.',
    );
  }
  if (signs.deletionHeld) {
    return warning(
      'old events are not deleted, because the clock made a step of more than a day',
      'A clock that is ahead would delete events before their time.',
      'Set the clock, or wait a day if it is right; analytics_deletion_held in the log has both times.',
    );
  }
  return ok('it starts, and deletes events when their time is up');
}

/** Whether the published lists and databases are fresh. */
export const dataAge: Check = { name: 'lists', judge: judgeDataAge };

function judgeDataAge({ dataAge: age }: Evidence): Outcome {
  if (age === undefined) {
    return unchecked('no metrics', 'Say where the admin listener is: --config or --admin.');
  }
  const advice = adviceOnDataAge(age);
  if (advice === undefined) return ok(describeDataAge(age));
  const why =
    'New machines of crawlers count as impersonators, and networks that moved as what they were.';
  return warning(describeDataAge(age), why, `It is ${advice}.`);
}

/** Whether a denied request can be found in the events, and which servers are in front. */
export const trace: Check = { name: 'trace', judge: ofAnswers(judgeTrace) };

function judgeTrace({ page, problem: asProgram }: Answers): Outcome {
  const named = serversNamed(page);
  const front = named.length === 0 ? 'no server in front names itself' : named.join(', ');
  const denial = denialOf(asProgram);
  if (denial === undefined) return unchecked(`no request was denied; ${front}`);
  if (denial.requestId !== '') return ok(`a denied request names its id; ${front}`);
  return warning(
    `a denied request does not name its id; ${front}`,
    'You cannot find it in the events when a visitor asks why.',
    'Let the body of Guard through as it came.',
  );
}
