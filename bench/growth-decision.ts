import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { Organisation } from '@guard/config/settings/schema';
import { MemoryStore } from '@guard/validator';
import { parse } from 'yaml';
import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { ORGANISATION, RULES, visitors, VISITORS } from './decision-visitors.ts';
import { LARGE, oneOfMany } from './growth-settings.ts';
import { decideAtOnce, validateFor } from './in-process.ts';
import type { BenchOptions } from './measure/report.ts';
import { median } from './measure/rounds.ts';

const BATCH = 500;
const MS_A_SECOND = 1_000;

/**
 * Measures the microseconds of a warm decision with 20 rules, and with 10,000 rules. The 10,000 rules are the same 20,
 * with all others before the last of them.
 */
export function decisionsUs({ rounds, seconds, onProgress }: BenchOptions): {
  readonly small: number;
  readonly large: number;
} {
  const benchRules = parse(RULES) as unknown[];
  const otherRules = Array.from({ length: LARGE.rules - benchRules.length }, (_, index) =>
    oneOfMany(index),
  );
  const cases = [
    benchRules,
    [...benchRules.slice(0, -1), ...otherRules, ...benchRules.slice(-1)],
  ].map(openCase);
  for (const { decide } of cases) batch(decide, 0, VISITORS);
  const endAt = performance.now() + rounds * seconds * MS_A_SECOND;
  onProgress('decisions');
  for (let from = 0; performance.now() < endAt; from += BATCH) {
    for (const { decide, us } of cases) us.push(batch(decide, from, BATCH));
  }
  const [small = 0, large = 0] = cases.map(({ us }) => median(us));
  return { small, large };
}

const people = visitors();
const networks = NetworkCatalogue.load();

function openCase(rules: readonly unknown[]) {
  const store = new MemoryStore(Date.now);
  for (const { sessionId, session } of people) store.keepSession(sessionId, session, 86_400_000);
  const organisation = Organisation.parse({ id: ORGANISATION, rules, ...ONE_PLAYS_ALL });
  const validate = validateFor(organisation, { networks, store });
  const decide = (request: ValidateRequest): string => {
    const outcome = decideAtOnce(validate, request);
    return outcome.kind === 'answered' ? outcome.response.decision : outcome.kind;
  };
  return { decide, us: [] as number[] };
}

/** Returns the microseconds for each decision. */
function batch(decide: (request: ValidateRequest) => string, from: number, count: number): number {
  const startedAt = performance.now();
  for (let turn = from; turn < from + count; turn++) {
    // This step has no common factor with 20,000, so each visitor is reached, and no visitor comes twice in a row.
    const person = people[(turn * 7_919) % VISITORS];
    const decision = person && decide(person.request);
    if (decision !== 'allow') throw new Error(`a visitor got the decision ${decision}`);
  }
  return ((performance.now() - startedAt) * 1000) / count;
}
