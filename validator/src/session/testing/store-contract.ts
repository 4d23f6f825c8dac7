import type { Session, SessionStore } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { hashUserAgent } from '../../request/user-agent-hash.ts';

export const session: Session = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  userAgentHash: hashUserAgent('Mozilla/5.0'),
  network: '192.0.2.0/24',
  client: '',
  judgedAt: 0,
  newest: '0f0e0d0c-0b0a-8908-8706-050403020100',
  newestAt: 1_000,
};

export interface StoreUnderTest {
  readonly store: SessionStore;
  /** Moves the clock of the store. A negative time sets it back. */
  readonly passTime: (ms: number) => unknown;
}

/** The tests use times in hours, so that the duration of a test has no effect, even with a real clock. */
const HOUR_MS = 3_600_000;

type Open = () => StoreUnderTest | Promise<StoreUnderTest>;

/** The tests that every SessionStore has to pass. */
export function sessionStoreContract(name: string, open: Open): void {
  describe(`${name} keeps the SessionStore contract for sessions and tickets`, () => {
    test('a stored session is found unchanged until it expires', async () => {
      const { store, passTime } = await open();
      const rejected: Session = { ...session, state: 'rejected', reasons: ['webdriver'] };
      await store.keepSession('a', session, HOUR_MS);
      await store.keepSession('b', rejected, 2 * HOUR_MS);
      expect(await store.session('a')).toMatchObject(session);
      expect(await store.session('b')).toMatchObject(rejected);
      expect(await store.session('c')).toBeUndefined();
      await passTime(HOUR_MS + 1);
      expect(await store.session('a')).toBeUndefined();
      expect(await store.session('b')).toMatchObject(rejected);
      await store.close();
    });

    test('when a session is stored twice, the last one is found', async () => {
      const { store } = await open();
      await store.keepSession('a', { ...session, state: 'rejected' }, HOUR_MS);
      expect(await store.session('a')).toMatchObject({ state: 'rejected' });
      await store.keepSession('a', session, HOUR_MS);
      expect(await store.session('a')).toMatchObject({ state: 'verified' });
      await store.close();
    });

    test('a session that is stored with an expiry in the past is not found (end-session.ts)', async () => {
      const { store, passTime } = await open();
      await store.keepSession('a', session, HOUR_MS);
      await store.keepSession('a', session, -1);
      await passTime(10);
      expect(await store.session('a')).toBeUndefined();
      await store.close();
    });

    test('each value of a session finds this session, and no value of another session finds it', async () => {
      const { store } = await open();
      const root = '0f0e0d0c-0b0a-8908';
      await store.keepSession(`${root}-8706-050403020100`, session, HOUR_MS);
      const laterSession = { ...session, newest: `${root}-a123-000000000000` };
      await store.keepSession(laterSession.newest, laterSession, HOUR_MS);
      expect(await store.session(`${root}-8706-050403020100`)).toMatchObject(laterSession);
      expect(await store.session('0f0e0d0c-0b0a-8909-8706-050403020100')).toBeUndefined();
      await store.close();
    });

    test('exactly one of 100 concurrent callers spends a ticket, until it expires', async () => {
      const { store, passTime } = await open();
      const results = await Promise.all(
        Array.from({ length: 100 }, () => Promise.resolve(store.spend('ticket', HOUR_MS))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await store.spend('another', HOUR_MS)).toBe(true);
      await passTime(HOUR_MS - 60_000);
      expect(await store.spend('ticket', HOUR_MS)).toBe(false);
      await passTime(60_001);
      expect(await store.spend('ticket', HOUR_MS)).toBe(true);
      await store.close();
    });
  });
  describe(`${name} keeps the SessionStore contract for budgets`, () => {
    budgetContract(open);
  });
  test(`${name} remembers a subject under one name until it expires`, async () => {
    const { store, passTime } = await open();
    await store.take('ab', 'c', { requests: 1, perMs: HOUR_MS });
    expect(await store.remembers('ab', 'c')).toBe(false);
    await store.remember('ab', 'c', HOUR_MS);
    expect(await store.remembers('ab', 'c')).toBe(true);
    expect(await store.remembers('a', 'bc')).toBe(false);
    expect(await store.remembers('ab', 'd')).toBe(false);
    await passTime(HOUR_MS + 1);
    expect(await store.remembers('ab', 'c')).toBe(false);
    await store.close();
  });
}

function budgetContract(open: Open): void {
  test('a budget of 10 an hour allows 10 requests at once, and returns how long the 11th has to wait', async () => {
    const { store, passTime } = await open();
    const budget = { requests: 10, perMs: HOUR_MS };
    const takes = Array.from({ length: 10 }, () => Promise.resolve(store.take('b', 'k', budget)));
    expect(await Promise.all(takes)).toEqual(Array.from({ length: 10 }, () => 0));
    const waitMs = await store.take('b', 'k', budget);
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS / 10);
    expect(waitMs).toBeGreaterThan(HOUR_MS / 10 - 60_000);
    expect(await store.take('b', 'another', budget)).toBe(0);
    expect(await store.take('another', 'k', budget)).toBe(0);
    await passTime(HOUR_MS / 10);
    expect(await store.take('b', 'k', budget)).toBe(0);
    expect(await store.take('b', 'k', budget)).toBeGreaterThan(0);
    await passTime(HOUR_MS);
    for (let i = 0; i < 10; i++) expect(await store.take('b', 'k', budget)).toBe(0);
    await store.close();
  });

  test('takeSync allows 10 of 60 requests at once, and refuses further ones until one fits', async () => {
    const { store, passTime } = await open();
    const budget = { requests: 10, perMs: HOUR_MS };
    const take = (name = 'b', subject = 'k') => store.takeSync(name, subject, budget) === 0;
    const countTaken = () => Array.from({ length: 20 }, () => take()).filter(Boolean).length;
    expect([countTaken(), countTaken(), countTaken()]).toEqual([10, 0, 0]);
    expect([take('another'), take('b', 'another')]).toEqual([true, true]);
    await passTime(HOUR_MS / 10);
    expect(countTaken()).toBe(1);
    await store.close();
  });

  test('names and subjects have separate budgets, even when they are equal after joining', async () => {
    const { store } = await open();
    const budget = { requests: 1, perMs: HOUR_MS };
    expect(await store.take('ab', 'c', budget)).toBe(0);
    expect(await store.take('a', 'bc', budget)).toBe(0);
    expect(await store.take('ab', 'c', budget)).toBeGreaterThan(0);
    await store.close();
  });

  test('a refused request takes nothing, and fits after the returned wait', async () => {
    const { store, passTime } = await open();
    const budget = { requests: 3, perMs: HOUR_MS };
    for (let i = 0; i < 3; i++) expect(await store.take('b', 'k', budget)).toBe(0);
    for (let i = 0; i < 50; i++) expect(await store.take('b', 'k', budget)).toBeGreaterThan(0);
    await passTime(Math.ceil(await store.take('b', 'k', budget)));
    expect(await store.take('b', 'k', budget)).toBe(0);
    await store.close();
  });

  test('a request takes from all of several counters, or from none when one of them refuses it', async () => {
    const { store, passTime } = await open();
    const small = { subject: 'small', budget: { requests: 2, perMs: HOUR_MS } };
    const large = { subject: 'large', budget: { requests: 5, perMs: HOUR_MS } };
    const takeBoth = () => store.takeAll('b', [large, small]);
    for (let i = 0; i < 2; i++) expect(await takeBoth()).toBe(0);
    for (let i = 0; i < 20; i++) {
      const waitMs = await takeBoth();
      expect(waitMs).toBeLessThanOrEqual(HOUR_MS / 2);
      expect(waitMs).toBeGreaterThan(HOUR_MS / 2 - 60_000);
    }
    for (let i = 0; i < 3; i++) expect(await store.take('b', 'large', large.budget)).toBe(0);
    expect(await store.take('b', 'large', large.budget)).toBeGreaterThan(0);
    // When two counters refuse, the longer wait is returned.
    expect(await takeBoth()).toBeGreaterThan(HOUR_MS / 5);
    await passTime(HOUR_MS / 2);
    expect(await takeBoth()).toBe(0);
    expect(await takeBoth()).toBeGreaterThan(0);
    expect(await store.takeAll('another', [large, small])).toBe(0);
    await store.close();
  });

  test('when the clock is set back by a day, no visitor is locked out for longer than the time of one budget', async () => {
    const { store, passTime } = await open();
    const budget = { requests: 2, perMs: HOUR_MS };
    for (let i = 0; i < 3; i++) await store.take('b', 'k', budget);
    await passTime(-24 * HOUR_MS);
    expect(await store.take('b', 'k', budget)).toBeLessThanOrEqual(HOUR_MS);
    await passTime(HOUR_MS);
    expect(await store.take('b', 'k', budget)).toBe(0);
    await store.close();
  });
}
