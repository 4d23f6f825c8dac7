import { sessionDigest } from '@guard/config/contract/session-digest';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { verifiedSession } from '../../../test/kit/visitors/verified-session.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';

const id = '0f8fad5b-d9cb-869f-a165-70867728950e';
const session = verifiedSession();

describe('session: verified', () => {
  const rules = '[{ name: r, match: { session: verified }, verdict: block }]';

  test.each([
    ['verified', 'block', {}],
    ['rejected', 'allow', { state: 'rejected' }],
    ['of another organisation', 'allow', { organisation: 'other' }],
    ['of another browser', 'allow', { userAgentHash: hashUserAgent('another') }],
  ] as const)('with a session that is %s, the decision is %s', async (_, decision, changes) => {
    const { ask, store } = validatorWith(rules);
    store.keepSession(id, { ...session, ...changes }, 60_000);
    expect((await ask(visit({ cookie: id }))).decision).toBe(decision);
    expect((await ask(visit())).decision).toBe('allow');
  });
});

describe('session: a digest', () => {
  const validatorWithRule = (match: string, verdict: string) =>
    validatorWith(
      `[{ name: r, match: ${match}, verdict: ${verdict} }, { name: s, match: {}, verdict: ${verdict === 'allow' ? 'block' : 'allow'} }]`,
    );
  const matchOfDigest = `{ session: [${'f'.repeat(32)}, ${sessionDigest(id).toUpperCase()}] }`;

  test.each([
    ['verified', {}],
    ['rejected', { state: 'rejected' }],
  ] as const)(
    'holds for a session that is %s, and not for a visitor without a session',
    async (_, changes) => {
      const { ask, store } = validatorWithRule(matchOfDigest, 'block');
      store.keepSession(id, { ...session, ...changes }, 60_000);
      expect((await ask(visit({ cookie: id }))).decision).toBe('block');
      expect((await ask(visit())).decision).toBe('allow');
    },
  );

  test('does not hold for a session of another organisation', async () => {
    const { ask, store } = validatorWithRule(matchOfDigest, 'block');
    store.keepSession(id, { ...session, organisation: 'other' }, 60_000);
    expect((await ask(visit({ cookie: id }))).decision).toBe('allow');
  });

  test('holds for an issued session when the rule names the digest of its event', async () => {
    const validatorOfFirstVisit = validatorWith('[{ name: r, match: {}, detect: true }]');
    const cookie = (await validatorOfFirstVisit.ask(visit())).cookies?.[0]?.value ?? '';
    const { ask } = validatorWithRule(
      `{ session: "${validatorOfFirstVisit.events[0]?.session ?? ''}" }`,
      'block',
    );
    expect((await ask(visit({ cookie }))).decision).toBe('block');
    const forged = `${cookie.slice(0, -1)}${cookie.endsWith('0') ? '1' : '0'}`;
    expect((await ask(visit({ cookie: forged }))).decision).toBe('allow');
  });

  test('does not hold for a session value that Guard never issued, although the rule names its digest', async () => {
    const { ask } = validatorWithRule(matchOfDigest, 'allow');
    expect((await ask(visit({ cookie: id }))).decision).toBe('block');
  });

  test.each([
    ['allow', matchOfDigest, 'block'],
    ['block', matchOfDigest, 'block'],
    ['allow', `{ not: ${matchOfDigest} }`, 'block'],
  ])(
    'with the verdict %s, a program that copied the session value of another visitor gets no better decision: case %#',
    async (verdict, match, decision) => {
      const { ask, store } = validatorWithRule(match, verdict);
      store.keepSession(id, { ...session, client: 'another client' }, 60_000);
      expect((await ask(visit({ cookie: id }))).decision).toBe(decision);
    },
  );
});
