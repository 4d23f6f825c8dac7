import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { type TestValidator, validatorWith } from './validator.ts';

const DETECT = '[{ name: everybody, match: {}, detect: true }]';

/** A validator with the default of detection, `challenge: auto`. */
export function guarded(
  organisation: Readonly<Record<string, unknown>> = {},
  rules = DETECT,
): TestValidator {
  return validatorWith(rules, { organisation });
}

/** The decisions on several requests, one after the other. */
export async function decisions(
  { ask }: TestValidator,
  count: number,
  request: (index: number) => ValidateRequest,
): Promise<string[]> {
  const found: string[] = [];
  for (let index = 0; index < count; index++) found.push((await ask(request(index))).decision);
  return found;
}

/** A list with the same decision `count` times. */
export const times = (count: number, decision: string) =>
  Array.from({ length: count }, () => decision);
