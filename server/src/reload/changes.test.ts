import { parseSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import * as changes from './changes.ts';

const KEY = 'sk_changes_5a4b3c2d1e0f9a8b';

const organisation = { id: 'acme', secret_keys: [{ id: 'a', key: KEY }] };
const site = { hosts: ['shop.example'], organisation: 'acme', origin: 'http://127.0.0.1:1' };

function settings(overrides: Readonly<Record<string, unknown>> = {}): Settings {
  const text = stringify({
    version: 1,
    listen: {},
    secret: 'b8d2046a7f3c1e95b8d2047a7f3c1e95',
    organisations: [organisation],
    sites: [site],
    ...overrides,
  });
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: {} });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

function changesBetween(before: Settings, after: Settings) {
  return changes.changesBetween(before, after, () => undefined);
}

test('settings that are read twice have no difference', async () => {
  const rules = [
    { name: 'a', match: { path: { regex: '^/a+$' }, ip: '203.0.113.0/24' }, verdict: 'block' },
    { name: 'b', match: { any: [{ country: 'de' }] }, rate_limit: { requests: 1, per: '1s' } },
  ];
  const overrides = { organisations: [{ ...organisation, rules }] };
  expect(await changesBetween(settings(overrides), settings(overrides))).toEqual([]);
});

test('a change is reported with its path, a change in a list with its entries, and no value is shown', async () => {
  const keys = [{ id: 'a', key: 'sk_changes_other_9f8e7d6c5b4a' }];
  const after = settings({
    observe: true,
    organisations: [{ ...organisation, secret_keys: keys, monitor: true }, { id: 'other' }],
    sites: [{ ...site, hosts: ['blog.example'] }],
  });
  expect(await changesBetween(settings(), after)).toEqual([
    'observe',
    'organisations.acme.secret_keys',
    'organisations.acme.monitor',
    'organisations.other (added)',
    'sites.shop.example (removed)',
    'sites.blog.example (added)',
  ]);
});

test('a removed setting is reported as changed', async () => {
  const token = { health_check_token: 'health_changes_0123456789' };
  expect(await changesBetween(settings(token), settings())).toEqual(['health_check_token']);
});

test('changes above the limit are only counted', async () => {
  const sites = Array.from({ length: 60 }, (_, i) => ({ ...site, hosts: [`s${i}.example`] }));
  const names = await changesBetween(settings(), settings({ sites }));
  expect(names).toHaveLength(41);
  expect(names.at(-1)).toBe('and 21 more');
});
