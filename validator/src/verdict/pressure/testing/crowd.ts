import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { type TestValidator, validatorWith } from '../../../../../test/kit/product/validator.ts';
import { chromeHttps, visit } from '../../../../../test/kit/visitors/visitors.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;

/** A setting with so many free pages that no address and no shape uses them up. */
export const MANY_PAGES = { free_pages: { pages: 10_000, per: '1m' } };

/** Creates a validator with `challenge: auto`, by default with `MANY_PAGES`. */
export const createGuard = (challenge: Readonly<Record<string, unknown>> = MANY_PAGES) =>
  validatorWith('[{ name: everybody, match: {}, detect: true, challenge: auto }]', {
    organisation: { challenge },
  });

export const ipOf = (index: number) =>
  `84.${115 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

/** A request of a visitor with its own address. Each value of `shape` gives another client shape. */
export function visitor(index: number, path: string, shape = 0): ValidateRequest {
  const names = Object.entries(chromeHttps);
  // The order of the header fields changes the client shape.
  const headers = Object.fromEntries([...names.slice(shape), ...names.slice(0, shape)]);
  return visit({ ip: ipOf(index), url: `https://shop.example${path}`, headers });
}

/**
 * Makes `count` visits within `overMs`. Returns for each visitor the reasons of the challenge, or an empty string
 * without a challenge.
 */
export async function reasonsOfCrowd(
  guard: TestValidator,
  count: number,
  overMs: number,
  requestOf: (index: number) => ValidateRequest,
): Promise<string[]> {
  const reasons: string[] = [];
  for (let index = 0; index < count; index++) {
    guard.time.now += overMs / count;
    guard.events.length = 0;
    await guard.ask(requestOf(index));
    const { action, blockReasons } = guard.events.at(-1) ?? {};
    reasons.push(action === 'challenge' ? (blockReasons?.join() ?? '') : '');
  }
  return reasons;
}

/** How many visitors of a crowd were not challenged. */
export const countFree = (reasons: readonly string[]) =>
  reasons.filter((reason) => reason === '').length;
/** The reasons why this request is challenged, or an empty string. */
export const reasonOf = async (guard: TestValidator, request: ValidateRequest) =>
  (await reasonsOfCrowd(guard, 1, 1, () => request))[0];
