import type { ShownChallenge } from '../request/facts.ts';
import { expect, test } from 'vitest';
import { chromeHttps } from '../../../test/kit/visitors.ts';
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

test('a rejected session has the reasons of its rejection that this version knows', () => {
  const rejected = { state: 'rejected', id: 'x', session } as const;
  expect(sessionSignal(factsOf(chromeHttps, { session: rejected }))).toEqual(['webdriver']);
});

test('a verified session, or no session, adds no finding', () => {
  const verified = {
    state: 'verified',
    id: 'x',
    session: { ...session, state: 'verified' },
  } as const;
  expect(sessionSignal(factsOf(chromeHttps, { session: verified }))).toEqual([]);
  expect(sessionSignal(factsOf(chromeHttps))).toEqual([]);
});

test('contract 2.2 challenge_failure: only a session whose challenge expired without an answer is "never cleared"', () => {
  const issued = (challenge: ShownChallenge) => ({ state: 'issued', id: 'x', challenge }) as const;
  expect(sessionSignal(factsOf(chromeHttps, { session: issued('uncleared') }))).toEqual([
    'challenge_never_cleared',
  ]);
  for (const other of ['none', 'open'] as const) {
    expect(sessionSignal(factsOf(chromeHttps, { session: issued(other) }))).toEqual([]);
  }
});

test.each([
  {
    passedIn: undefined,
    now: 'datacenter',
    found: ['session_moved'],
    what: 'carried to a datacenter',
  },
  { passedIn: undefined, now: 'vpn', found: ['session_moved'], what: 'carried behind a VPN' },
  {
    passedIn: 'vpn',
    now: 'datacenter',
    found: ['session_moved'],
    what: 'carried from a VPN to a datacenter',
  },
  {
    passedIn: 'vpn',
    now: 'vpn',
    found: [],
    what: 'behind another exit of the VPN it passed behind',
  },
  { passedIn: 'vpn', now: undefined, found: [], what: 'with the VPN switched off' },
  { passedIn: undefined, now: undefined, found: [], what: 'of a phone on the move' },
] as const)('a session $what brings $found', ({ passedIn, now, found }) => {
  const verified = {
    state: 'verified',
    id: 'x',
    session: { ...session, state: 'verified' },
  } as const;
  const facts = factsOf(chromeHttps, {
    session: verified,
    network: now,
    sessionNetwork: () => passedIn,
  });
  expect(sessionSignal(facts)).toEqual(found);
});
