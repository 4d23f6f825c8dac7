import type { ShownChallenge } from '../request/facts.ts';
import { expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors/visitors.ts';
import { sessionSignal } from './session.ts';
import { factsOf } from './testing/facts.ts';

const session = {
  organisation: 'acme',
  state: 'rejected',
  reasons: ['webdriver', 'a_reason_of_a_later_version'],
  userAgentHash: '',
  network: '',
  client: '',
  judgedAt: 0,
} as const;

test('a rejected session has the reasons of its rejection, but only those that exist in this version of Guard', () => {
  const rejected = { state: 'rejected', id: 'x', session } as const;
  expect(sessionSignal(factsOf(chromeHttps, { session: rejected }))).toEqual(['webdriver']);
});

test('a request without a session has no finding', () => {
  expect(sessionSignal(factsOf(chromeHttps))).toEqual([]);
});

test('contract 2.2 challenge_failure: a session is "never cleared" only when its challenge expired without an answer', () => {
  const issuedSession = (challenge: ShownChallenge) =>
    ({ state: 'issued', id: 'x', challenge }) as const;
  expect(sessionSignal(factsOf(chromeHttps, { session: issuedSession('uncleared') }))).toEqual([
    'challenge_never_cleared',
  ]);
  for (const other of ['none', 'open'] as const) {
    expect(sessionSignal(factsOf(chromeHttps, { session: issuedSession(other) }))).toEqual([]);
  }
});

test.each([
  ['that moved to a datacenter', undefined, 'datacenter', ['session_moved']],
  ['that moved behind a VPN', undefined, 'vpn', ['session_moved']],
  ['that moved from a VPN to a datacenter', 'vpn', 'datacenter', ['session_moved']],
  ['at another exit of its VPN', 'vpn', 'vpn', []],
  ['that left its VPN', 'vpn', undefined, []],
  ['that moved between networks of people', undefined, undefined, []],
] as const)(
  'a verified session %s, from %s to %s, has the findings %j',
  (_what, networkOfPass, currentNetwork, found) => {
    const verified = {
      state: 'verified',
      id: 'x',
      session: { ...session, state: 'verified' },
    } as const;
    const facts = factsOf(chromeHttps, {
      session: verified,
      network: currentNetwork,
      sessionNetwork: () => networkOfPass,
    });
    expect(sessionSignal(facts)).toEqual(found);
  },
);
