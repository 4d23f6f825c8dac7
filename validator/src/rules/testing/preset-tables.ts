import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { PRESETS } from '@guard/config/settings/sections/preset-names';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../../test/kit/product/validator.ts';
import { curl, visit } from '../../../../test/kit/visitors/visitors.ts';

export const withAllPresets = {
  presets: [...PRESETS],
  webhook_paths: ['/hooks/**', '/api/stripe'],
};

/** Rules that challenge every request that no preset allows. */
export const STRICT = '[{ name: everybody, match: {}, detect: true, challenge: always }]';
export const guardWithPresets = validatorWith(STRICT, { organisation: withAllPresets });

export type RequestChanges = Partial<ValidateRequest>;
type Row = readonly [path: string, changes: RequestChanges];

export const requestTo = (path: string, changes: RequestChanges = {}): ValidateRequest =>
  visit({ headers: { ...curl }, ...changes, url: `https://shop.example${path}` });
export const withHeaders = (headers: Readonly<Record<string, string>>): RequestChanges => ({
  headers: { ...curl, ...headers },
});
export const withAgent = (userAgent: string): RequestChanges =>
  withHeaders({ 'user-agent': userAgent });

/** The decision on a request, and the name of the rule in its event. */
export async function decisionOn(request: ValidateRequest): Promise<[string, string]> {
  const { decision } = await guardWithPresets.ask(request);
  return [decision, guardWithPresets.events.at(-1)?.rule ?? ''];
}

/**
 * Tests that this preset allows the requests of the first table, and that no preset allows those of the second table.
 */
export function testPreset(
  name: string,
  purpose: string,
  allowed: readonly Row[],
  refused: readonly Row[],
) {
  describe(`preset:${name} allows ${purpose}`, () => {
    test.each(allowed)('%s %j', async (path, changes) => {
      expect(await decisionOn(requestTo(path, changes))).toEqual(['allow', `preset:${name}`]);
    });

    test.each(refused)('but not %s %j', async (path, changes) => {
      expect((await decisionOn(requestTo(path, changes)))[0]).not.toBe('allow');
    });
  });
}
