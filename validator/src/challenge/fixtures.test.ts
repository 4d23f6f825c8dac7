import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { validatorWith } from '../../../test/kit/product/validator.ts';

/**
 * Requests of real clients. The folder of a request is the expected result. Add a file for each visitor whom Guard
 * judges wrongly.
 */
const Fixture = z.strictObject({
  about: z.string(),
  request: ValidateRequest,
  reasons: z.array(z.string()),
});

const EXPECTED = { allow: 'allow', challenge: 'redirect', block: 'block' } as const;
const folder = join(import.meta.dirname, '..', '..', 'fixtures');
const { ask } = validatorWith('[{ name: everybody, match: {}, detect: true }]', {
  organisation: { challenge: { free_pages: false } },
});

describe.each(['allow', 'challenge', 'block'] as const)('detection alone gives %s', (outcome) => {
  const files = globSync('*.json', { cwd: join(folder, outcome) });

  test('the folder has requests', () => {
    expect(files.length).toBeGreaterThan(4);
  });

  test.each(files)('for the request of %s', async (file) => {
    const text = readFileSync(join(folder, outcome, file), 'utf8');
    const { request, reasons, about } = Fixture.parse(JSON.parse(text));
    const answer = await ask(request);
    expect(answer.decision, about).toBe(EXPECTED[outcome]);
    expect(answer.block_reasons ?? [], about).toEqual(reasons);
  });
});
