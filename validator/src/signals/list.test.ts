import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chromeHttps, firefoxHttps, safariIphone } from '../../../test/kit/visitors/visitors.ts';
import { findingsOf, signals } from './list.ts';
import { NO_REASONS } from './signal.ts';
import { factsOf } from './testing/facts.ts';

test.each([
  ['Chrome', chromeHttps],
  ['Firefox', firefoxHttps],
  ['Safari', safariIphone],
])('an ordinary request of %s has no findings, and allocates no list', (_name, headers) => {
  expect(findingsOf(factsOf(headers))).toBe(NO_REASONS);
});

test('a download in Chromium has no findings, although it has no Accept and no client hints', () => {
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
  // A browser sends all these fields with a page.
  const page = findingsOf(factsOf({ ...download, 'sec-fetch-dest': 'document' }));
  expect(page).toEqual(expect.arrayContaining(['client_hints_missing', 'header_missing']));
});

test('each signal is in the list and has its own test', () => {
  const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'));
  const signalNames = tests
    .filter((file) => file !== 'list.test.ts')
    .map((file) => file.replace('.test.ts', '-signal'))
    .map((name) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
  expect(signals.map(({ name }) => name).toSorted()).toEqual(signalNames.toSorted());
});

test('a finding of the challenge that the request has too is reported once', () => {
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

test('findings have the order of the list', () => {
  const findings = findingsOf(factsOf({ 'user-agent': chromeHttps['user-agent'] ?? '' }));
  expect(findings).toEqual(['client_hints_missing', 'header_missing']);
});
