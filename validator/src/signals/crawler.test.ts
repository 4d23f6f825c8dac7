import { expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import { crawlerSignal } from './crawler.ts';
import { claimOf, factsOf } from './testing/facts.ts';

const reasonsFor = (changes: Parameters<typeof claimOf>[0]) =>
  crawlerSignal(factsOf(chromeHttps, { crawler: claimOf(changes) }));

test('contract 2.2, crawler_impersonator: "claims a known crawler but the IP is not the operator’s"', () => {
  expect(reasonsFor({ proof: 'impersonator' })).toEqual(['crawler_impersonator']);
  expect(reasonsFor({ proof: 'impersonator', allowlisted: true })).toEqual([
    'crawler_impersonator',
  ]);
});

test('contract 2.2, bot_identity: "an identified crawler not on the allowlist"', () => {
  expect(reasonsFor({ proof: 'verified' })).toEqual(['crawler_blocked']);
  expect(reasonsFor({ proof: 'verified', allowlisted: true })).toEqual([]);
});

test('contract 1.3: "Identification alone does not prove origin", so an allowlisted name needs a proof', () => {
  expect(reasonsFor({ proof: 'unverifiable', allowlisted: true })).toEqual(['crawler_unverified']);
  expect(reasonsFor({ proof: 'unverifiable' })).toEqual(['crawler_blocked']);
});

test('a client that claims no crawler has no finding', () => {
  expect(crawlerSignal(factsOf(chromeHttps))).toEqual([]);
});
