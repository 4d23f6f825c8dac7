import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { PRESETS } from '@guard/config/settings/sections/preset-names';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../../test/kit/product/validator.ts';
import { curl, visit } from '../../../../test/kit/visitors/visitors.ts';

export const organisation = { presets: [...PRESETS], webhook_paths: ['/hooks/**', '/api/stripe'] };

/** Challenges every request that no preset allows. */
export const STRICT = '[{ name: everybody, match: {}, detect: true, challenge: always }]';
export const guard = validatorWith(STRICT, { organisation });

export type RequestChanges = Partial<ValidateRequest>;
type Row = readonly [path: string, changes: RequestChanges];

export const at = (path: string, changes: RequestChanges = {}): ValidateRequest =>
  visit({ headers: { ...curl }, ...changes, url: `https://shop.example${path}` });
export const sent = (headers: Readonly<Record<string, string>>): RequestChanges => ({
  headers: { ...curl, ...headers },
});
export const as = (userAgent: string): RequestChanges => sent({ 'user-agent': userAgent });

/** The decision on a request, and the rule that its event names. */
export async function decided(request: ValidateRequest): Promise<[string, string]> {
  const { decision } = await guard.ask(request);
  return [decision, guard.events.at(-1)?.rule ?? ''];
}

/** Tests that this preset allows some requests, and that no preset allows the others. */
export function testPreset(
  name: string,
  title: string,
  allowed: readonly Row[],
  others: readonly Row[],
) {
  describe(`preset:${name} allows ${title}`, () => {
    test.each(allowed)('%s %j', async (path, over) => {
      expect(await decided(at(path, over))).toEqual(['allow', `preset:${name}`]);
    });

    test.each(others)('but not %s %j', async (path, over) => {
      expect((await decided(at(path, over)))[0]).not.toBe('allow');
    });
  });
}
