import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CrowdsecDecision } from '@guard/config/contract/crowdsec';
import { readJson } from '@guard/config/contract/json';
import { isIpOrCidr } from '@guard/config/net/cidr';
import { canonicalNetwork } from '@guard/config/settings/derived/temporary-decision';
import { z } from 'zod';
import type { CrowdsecAnswer, TypedDecision } from './held-decisions.ts';

/** A decision in an answer to `GET /v1/decisions/stream`. Guard ignores all other fields. */
const WireDecision = z.object({
  type: z.string().max(100),
  scope: z.string(),
  value: z.string().max(100),
  /** The time until the decision ends, in the format of Go, such as `3h59m58.4s`. */
  duration: z.string().max(100),
  simulated: z.boolean().optional(),
});
type WireDecision = z.infer<typeof WireDecision>;

const Answer = z.object({
  // CrowdSec always sends this field, with null when nothing is new. An error page with status 200, from a proxy in
  // front of CrowdSec, does not have it.
  new: z.array(z.unknown()).nullable(),
  deleted: z.array(z.unknown()).nullish(),
});

/**
 * The number of decisions that are parsed in one turn of the event loop. This takes one or two milliseconds, and
 * requests wait for so long.
 */
const DECISIONS_A_TURN = 500;

/**
 * Parses an answer that came at `now`. Undefined when it is not an answer of CrowdSec. Decisions with other scopes,
 * such as `session`, are dropped. A whole list can have ten thousand decisions, so parsing pauses between turns of the
 * event loop.
 */
export async function readAnswer(
  text: string,
  now: number,
  isWhole: boolean,
): Promise<CrowdsecAnswer | undefined> {
  const answer = readJson(Answer, text);
  if (answer === undefined) return undefined;
  return {
    isWhole,
    added: await decisionsOf(answer.new ?? [], now),
    removed: isWhole ? [] : await decisionsOf(answer.deleted ?? [], now),
  };
}

async function decisionsOf(values: readonly unknown[], now: number): Promise<TypedDecision[]> {
  const decisions: TypedDecision[] = [];
  for (let at = 0; at < values.length; at += DECISIONS_A_TURN) {
    for (const value of values.slice(at, at + DECISIONS_A_TURN)) {
      const decision = decisionOf(value, now);
      if (decision !== undefined) decisions.push(decision);
    }
    await nextTurn();
  }
  return decisions;
}

function decisionOf(value: unknown, now: number): TypedDecision | undefined {
  const parsed = WireDecision.safeParse(value);
  if (!parsed.success || parsed.data.simulated === true) return undefined;
  const { type, duration } = parsed.data;
  const scope = SCOPES.get(parsed.data.scope.toLowerCase());
  const subject = scope && subjectOf(scope, parsed.data.value);
  return subject && { type, ...subject, until: now + millisecondsOf(duration) };
}

const SCOPES: ReadonlyMap<string, CrowdsecDecision['scope']> = new Map([
  ['ip', 'network'],
  ['range', 'network'],
  ['as', 'asn'],
  ['country', 'country'],
]);

/**
 * The subject of a decision, with its value in the form of `CrowdsecDecision`. Undefined for a value that does not have
 * this form.
 */
export function subjectOf(
  scope: CrowdsecDecision['scope'],
  value: string,
): Pick<CrowdsecDecision, 'scope' | 'value'> | undefined {
  switch (scope) {
    case 'network':
      return isIpOrCidr(value) ? { scope, value: canonicalNetwork(value) } : undefined;
    case 'asn': {
      const [, number] = /^(?:AS)?(\d{1,10})$/i.exec(value) ?? [];
      return number === undefined ? undefined : { scope, value: String(Number(number)) };
    }
    case 'country':
      return /^[a-z]{2}$/i.test(value) ? { scope, value: value.toUpperCase() } : undefined;
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * Converts `3h59m58.4s` to milliseconds. The result is 0 or less for a time in the past, and for a text that is not a
 * duration.
 */
function millisecondsOf(duration: string): number {
  let sum = 0;
  for (const [, number, unit = ''] of duration.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    sum += Number(number) * (UNIT_MS[unit] ?? 0);
  }
  return duration.startsWith('-') ? -sum : sum;
}
