import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CrowdsecDecision } from '@guard/config/contract/crowdsec';
import { readJson } from '@guard/config/contract/json';
import { isIpOrCidr } from '@guard/config/net/cidr';
import { canonicalNetwork } from '@guard/config/settings/derived/temporary-decision';
import { z } from 'zod';
import type { ToldChanges, TypedDecision } from './held-decisions.ts';

/** A decision in the form of `GET /v1/decisions/stream`. Guard ignores all other fields. */
const Written = z.object({
  type: z.string().max(100),
  scope: z.string(),
  value: z.string().max(100),
  /** The time until its end, as Go writes it: `3h59m58.4s`. */
  duration: z.string().max(100),
  simulated: z.boolean().optional(),
});
type Written = z.infer<typeof Written>;

const Answer = z.object({
  // Always present, and null when nothing is new. A page from a server in between, with status 200, does not have it.
  new: z.array(z.unknown()).nullable(),
  deleted: z.array(z.unknown()).nullish(),
});

/** Decisions that are read in one turn. Requests wait for it, for a millisecond or two. */
const DECISIONS_A_TURN = 500;

/**
 * Reads an answer that came at `now`. Undefined when it is not an answer of CrowdSec. Other scopes, such as `session`,
 * are left out. It is read over several turns, because a whole list has some ten thousand decisions.
 */
export async function readAnswer(
  text: string,
  now: number,
  isWhole: boolean,
): Promise<ToldChanges | undefined> {
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
  const read = Written.safeParse(value);
  if (!read.success || read.data.simulated === true) return undefined;
  const { type, duration } = read.data;
  const scope = SCOPES.get(read.data.scope.toLowerCase());
  const about = scope && aboutOf(scope, read.data.value);
  return about && { type, ...about, until: now + millisecondsOf(duration) };
}

/** The scopes of CrowdSec that Guard knows. */
const SCOPES: ReadonlyMap<string, CrowdsecDecision['scope']> = new Map([
  ['ip', 'network'],
  ['range', 'network'],
  ['as', 'asn'],
  ['country', 'country'],
]);

/** What a decision is about, with its value as `CrowdsecDecision` has it. Undefined for a value of another form. */
export function aboutOf(
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

/** `3h59m58.4s` in milliseconds. 0 or less for a time that has passed, and for a text that is not a duration. */
function millisecondsOf(duration: string): number {
  let sum = 0;
  for (const [, number, unit = ''] of duration.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    sum += Number(number) * (UNIT_MS[unit] ?? 0);
  }
  return duration.startsWith('-') ? -sum : sum;
}
