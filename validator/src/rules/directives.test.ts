import { presetRules } from '@guard/config/settings/presets/preset-rules';
import type { Rule } from '@guard/config/settings/sections/rule';
import { atOnce } from '@guard/config/time/slices';
import { expect, test } from 'vitest';
import { compileRules } from './directives.ts';

const admin: Rule = { name: 'admin', match: { path: ['/admin/**'] }, verdict: 'block' };
const login: Rule = {
  name: 'login',
  match: { path: ['/login'] },
  rate_limit: { requests: 1, per: 1_000, by: ['ip'] },
};
const feeds: Rule = { name: 'feeds', match: { path: ['/feed'] }, verdict: 'allow' };

test('a reload compiles only new rules, and gives each rule its new position', () => {
  const before = atOnce(compileRules({ organisation: 'acme', rules: [admin, login] }));
  const source = { organisation: 'acme', rules: [login, feeds, { ...admin }] };
  const after = atOnce(compileRules(source, before.list));
  expect(after.list.map(({ rule }) => rule.name)).toEqual(
    atOnce(compileRules(source)).list.map(({ rule }) => rule.name),
  );
  expect(after.list[0]).toBe(before.list[1]);
  // The copy of `admin` is equal, but it is another object. So it is compiled again.
  expect(after.list[2]).not.toBe(before.list[0]);
  const factsOf = (path: string) => ({
    method: 'GET',
    foldedPaths: [path],
    url: { host: 'shop.example' },
  });
  expect(after.index.find(factsOf('/login')).next()).toBe(0);
  expect(after.index.find(factsOf('/admin/users')).next()).toBe(2);
});

test('organisations share compiled presets, but not their own rules or a budget', () => {
  const presets = presetRules({ presets: ['well-known', 'git', 'feeds'], webhook_paths: [] });
  const [acme, other] = ['acme', 'other'].map((organisation) =>
    atOnce(compileRules({ organisation, rules: [login], presets })),
  );
  const isShared = acme?.list.map((rule, place) => [rule.rule.name, rule === other?.list[place]]);
  expect(isShared).toEqual([
    ['login', false],
    ['preset:well-known', true],
    ['preset:feeds', false],
    ['preset:git', true],
    ['crawler allowlist', true],
  ]);
  expect(acme?.list[2]?.holds).toBe(other?.list[2]?.holds);
});
