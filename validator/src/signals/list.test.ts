import { reasons } from '@guard/config/contract/reasons';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chromeHttps, firefoxHttps, safariIphone } from '../../../test/kit/visitors.ts';
import { findingsOf, signals } from './list.ts';
import { NOTHING } from './signal.ts';
import { factsOf } from './testing/facts.ts';

test.each([
  ['Chrome', chromeHttps],
  ['Firefox', firefoxHttps],
  ['Safari', safariIphone],
])('a plain request of %s has no findings, and costs no list of them', (_name, headers) => {
  expect(findingsOf(factsOf(headers))).toBe(NOTHING);
});

test('every file with a signal is in the list, and has a test of its own', () => {
  const files = readdirSync(import.meta.dirname);
  const tested = files.filter((file) => file.endsWith('.test.ts') && file !== 'list.test.ts');
  expect(tested.length).toBe(signals.length);
});

test('a finding of both the challenge and the request is reported once', () => {
  const session = {
    organisation: 'acme',
    state: 'rejected',
    reasons: ['header_missing', 'webdriver', 'header_missing'],
    userAgentHash: '',
    network: '',
    client: '',
    judgedAt: 0,
  } as const;
  const facts = factsOf(
    { 'user-agent': chromeHttps['user-agent'] ?? '' },
    { session: { state: 'rejected', id: 'a', session } },
  );
  expect(findingsOf(facts)).toEqual(['header_missing', 'webdriver', 'client_hints_missing']);
});

test('findings of several signals come in the order of the list, and each has its meaning', () => {
  const found = findingsOf(factsOf({ 'user-agent': chromeHttps['user-agent'] ?? '' }));
  expect(found).toEqual(['client_hints_missing', 'header_missing']);
  for (const reason of found) expect(reasons[reason].meaning).not.toBe('');
});
