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

test('a link of Chromium that downloads a file has no findings, though it lacks Accept, client hints and more', () => {
  const agent = chromeHttps['user-agent'] ?? '';
  const download = {
    host: 'shop.example',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'empty',
    referer: 'https://shop.example/orders',
    'user-agent': agent,
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': 'en-US,en;q=0.9',
  };
  expect(findingsOf(factsOf(download))).toEqual([]);
  // A page lacks none of them.
  const page = findingsOf(factsOf({ ...download, 'sec-fetch-dest': 'document' }));
  expect(page).toEqual(expect.arrayContaining(['client_hints_missing', 'header_missing']));
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
