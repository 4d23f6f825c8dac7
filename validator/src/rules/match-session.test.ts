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
    ['verified', {}, 'block'],
    ['rejected', { state: 'rejected' }, 'allow'],
    ['of another organisation', { organisation: 'other' }, 'allow'],
    ['of another browser', { userAgentHash: hashUserAgent('another') }, 'allow'],
  ] as const)('a session that is %s', async (_, over, decision) => {
    const { ask, store } = validatorWith(rules);
    store.keepSession(id, { ...session, ...over }, 60_000);
    expect((await ask(visit({ cookie: id }))).decision).toBe(decision);
    expect((await ask(visit())).decision).toBe('allow');
  });
});

describe('session: a digest', () => {
  const rule = (match: string, verdict: string) =>
    validatorWith(
      `[{ name: r, match: ${match}, verdict: ${verdict} }, { name: s, match: {}, verdict: ${verdict === 'allow' ? 'block' : 'allow'} }]`,
    );
  const named = `{ session: [${'f'.repeat(32)}, ${sessionDigest(id).toUpperCase()}] }`;

  test.each([
    ['verified', {}, 'block'],
    ['rejected', { state: 'rejected' }, 'block'],
    ['of another organisation', { organisation: 'other' }, 'allow'],
  ] as const)('holds for a session that is %s: case %#', async (_, over, decision) => {
    const { ask, store } = rule(named, 'block');
    store.keepSession(id, { ...session, ...over }, 60_000);
    expect((await ask(visit({ cookie: id }))).decision).toBe(decision);
    expect((await ask(visit())).decision).toBe('allow');
  });

  test('holds for an issued session with the digest of its event', async () => {
    const first = validatorWith('[{ name: r, match: {}, detect: true }]');
    const cookie = (await first.ask(visit())).cookies?.[0]?.value ?? '';
    const { ask } = rule(`{ session: "${first.events[0]?.session ?? ''}" }`, 'block');
    expect((await ask(visit({ cookie }))).decision).toBe('block');
    const forged = `${cookie.slice(0, -1)}${cookie.endsWith('0') ? '1' : '0'}`;
    expect((await ask(visit({ cookie: forged }))).decision).toBe('allow');
  });

  test('does not hold for an invented session value with this digest', async () => {
    const { ask } = rule(named, 'allow');
    expect((await ask(visit({ cookie: id }))).decision).toBe('block');
  });

  test.each([
    ['allow', named, 'block'],
    ['block', named, 'block'],
    ['allow', `{ not: ${named} }`, 'block'],
  ])(
    '%s: a session value that another client copied gains nothing: case %#',
    async (verdict, match, decision) => {
      const { ask, store } = rule(match, verdict);
      store.keepSession(id, { ...session, client: 'another client' }, 60_000);
      expect((await ask(visit({ cookie: id }))).decision).toBe(decision);
    },
  );
});
