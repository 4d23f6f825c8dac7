import { ValidateRequest } from '@guard/config/contract/validate-request';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { expect, test } from 'vitest';
import { parseValidateBody } from './parse.ts';

const random = seededRandom();
const ANYTHING = [
  'https://shop.example/',
  '192.0.2.1',
  'GET',
  '',
  null,
  7,
  true,
  [],
  {},
  { accept: '*/*' },
  { Accept: '*/*', accept: 'a' },
  { a: 1 },
  'a\ud800',
  'x'.repeat(17_000),
] as const;
const FIELDS = ['url', 'ip', 'method', 'headers', 'referrer', 'cookie', 'later'] as const;

test(`a parsed body always fits the schema (contract 2.1), and no body throws; seed ${random.seed}`, () => {
  const counts = { request: 0, error: 0 };
  for (let i = 0; i < 5_000; i++) {
    const body: Record<string, unknown> = { url: ANYTHING[0], ip: ANYTHING[1] };
    for (const field of FIELDS) if (random.below(4) === 0) body[field] = random.pick(ANYTHING);
    const parsed = parseValidateBody(JSON.stringify(body));
    counts[parsed.kind]++;
    if (parsed.kind === 'request') {
      const { headers = {}, ...rest } = parsed.request;
      expect(ValidateRequest.parse(parsed.request)).toEqual({
        ...rest,
        ...('headers' in parsed.request && { headers }),
      });
    }
  }
  expect(Math.min(counts.request, counts.error)).toBeGreaterThan(500);
});
