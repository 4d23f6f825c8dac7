import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { expect } from 'vitest';
import { type TestValidator, validatorWith } from './validator.ts';
import { visit } from '../visitors/visitors.ts';

export const DETECT = '[{ name: everybody, match: {}, detect: true }]';

/** Returns a validator whose only rule has detection with its default, `challenge: auto`. */
export function detectingValidator(
  organisation: Readonly<Record<string, unknown>> = {},
  rules = DETECT,
): TestValidator {
  return validatorWith(rules, { organisation });
}

/** Returns the decisions on several requests, which are sent one after the other. */
export async function decisions(
  { ask }: TestValidator,
  count: number,
  request: (index: number) => ValidateRequest,
): Promise<string[]> {
  const results: string[] = [];
  for (let index = 0; index < count; index++) results.push((await ask(request(index))).decision);
  return results;
}

/** Returns how many of these requests are forwarded. */
export async function countForwarded(
  guard: TestValidator,
  count: number,
  request: (index: number) => ValidateRequest,
): Promise<number> {
  const allDecisions = await decisions(guard, count, request);
  return allDecisions.filter((decision) => decision === 'allow').length;
}

/** Like countForwarded. Expects that the first requests are allowed and all later ones challenged. */
export async function countAllowed(
  guard: TestValidator,
  count: number,
  request: (index: number) => ValidateRequest,
): Promise<number> {
  const allDecisions = await decisions(guard, count, request);
  const passedCount = allDecisions.filter((decision) => decision === 'allow').length;
  expect(allDecisions).toEqual([
    ...times(passedCount, 'allow'),
    ...times(count - passedCount, 'redirect'),
  ]);
  return passedCount;
}

/** Sends this request, and returns the session in the answer. */
export async function newSession({ ask }: TestValidator, request = visit()): Promise<string> {
  return (await ask(request)).cookies?.[0]?.value ?? '';
}

/** Returns a list that contains the same decision `count` times. */
export const times = (count: number, decision: string) =>
  Array.from({ length: count }, () => decision);
