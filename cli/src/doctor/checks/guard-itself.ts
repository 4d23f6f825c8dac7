import { CHALLENGE } from '@guard/config/contract/limits';
import type { Answers, Evidence } from '../evidence.ts';
import { adviceOnDataAge, describeDataAge } from '../../running-guard/data-age.ts';
import { type AnsweredExchange, fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { denialOf, instantOf } from '../guard-page.ts';
import { serverNamesIn, cacheSign } from '../kept-in-front.ts';
import { type Check, judgeAnswers } from './check.ts';

const NOTICEABLE_MS = 5_000;

/** Whether the clocks of Guard and of this machine agree. */
export const clock: Check = { name: 'clock', judge: judgeAnswers(judgeClock) };

function judgeClock(answers: Answers): Outcome {
  if (cacheSign(answers) !== undefined) {
    return unchecked('the answers come from a cache, so their times are old');
  }
  const time = timeOfGuard(answers) ?? timeOfFront(answers.page);
  if (time === undefined) return unchecked('no answer has a time');
  const { sentAtMs, answeredAtMs } = time.answer;
  // The answer was created between the two times. Only a time outside this range is certainly wrong.
  const differenceMs = Math.max(0, sentAtMs - time.lastMs, time.firstMs - answeredAtMs);
  const direction = time.lastMs < sentAtMs ? 'behind' : 'ahead of';
  const found = `${time.whose} clock is ${(differenceMs / 1000).toFixed(1)} s ${direction} the one here`;
  if (differenceMs < NOTICEABLE_MS) return ok(`${time.whose} clock and the one here agree`);
  const why =
    'Challenges, keys and events get their times from this clock, and the clocks of instances that share a secret must agree within a minute.';
  const advice = 'Keep the clocks of both machines with NTP.';
  return differenceMs > CHALLENGE.clockSkewMs
    ? problem(found, why, advice)
    : warning(found, why, advice);
}

interface AnswerTime {
  readonly whose: string;
  readonly answer: AnsweredExchange;
  /** The earliest and the latest time of the answer. They differ because HTTP header fields have whole seconds. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The id of a denied request contains its time in milliseconds. */
function timeOfGuard({ problem: programAnswer }: Answers): AnswerTime | undefined {
  const instant = instantOf(denialOf(programAnswer)?.requestId ?? '');
  if (instant === undefined || programAnswer.kind === 'failed') return undefined;
  return { whose: "Guard's", answer: programAnswer, firstMs: instant, lastMs: instant };
}

/** The time in the Date field (RFC 9110 section 6.6.1). It can come from the clock of a proxy. */
function timeOfFront(page: AnsweredExchange): AnswerTime | undefined {
  const [date] = fieldsOf(page, 'date');
  const secondMs = Date.parse(date ?? '');
  if (Number.isNaN(secondMs)) return undefined;
  return { whose: "the front's", answer: page, firstMs: secondMs, lastMs: secondMs + 999 };
}

/** Whether headers that only the origin should get reach the visitor. */
export const leaks: Check = { name: 'inner headers', judge: judgeAnswers(judgeLeaks) };

function judgeLeaks({
  page,
  again,
  problem: programAnswer,
  returning,
  handshake,
}: Answers): Outcome {
  const answers = [page, again, programAnswer, handshake, ...(returning ? [returning] : [])];
  const names = answers.flatMap((answer) =>
    answer.kind === 'answered' ? answer.fields.map(([name]) => name.toLowerCase()) : [],
  );
  const leakedNames = [...new Set(names.filter((name) => name.startsWith('x-guard-')))];
  if (leakedNames.length === 0) return ok('no X-Guard header reaches the visitor');
  return problem(
    `visitors see ${leakedNames.join(', ')}`,
    'Visitors learn how Guard judged them, and can try until they pass.',
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
    'New machines of crawlers count as impersonators, and a network that has changed its use or country counts as before.';
  return warning(describeDataAge(age), why, `The data is ${advice}.`);
}

/** Whether a denied request can be found in the events, and which servers are in front of Guard. */
export const trace: Check = { name: 'trace', judge: judgeAnswers(judgeTrace) };

function judgeTrace({ page, problem: programAnswer }: Answers): Outcome {
  const serverNames = serverNamesIn(page);
  const front =
    serverNames.length === 0 ? 'no server in front names itself' : serverNames.join(', ');
  const denial = denialOf(programAnswer);
  if (denial === undefined) return unchecked(`no request was denied; ${front}`);
  if (denial.requestId !== '') return ok(`a denied request names its id; ${front}`);
  return warning(
    `a denied request does not name its id; ${front}`,
    'You cannot find the request in the events when a visitor asks why.',
    'Let the body of Guard through as it came.',
  );
}
