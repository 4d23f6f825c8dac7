import type { Clock, Session, SessionStore } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';

const session: Session = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  userAgent: 'Mozilla/5.0',
  network: '192.0.2.0/24',
  judgedAt: 0,
};

/** What every SessionStore keeps to. `time.now` is moved by the tests. */
export function sessionStoreContract(
  name: string,
  open: (clock: Clock) => SessionStore | Promise<SessionStore>,
): void {
  describe(`${name} keeps the SessionStore contract`, () => {
    test('a kept session is found until its time is over', async () => {
      const time = { now: 1_000_000 };
      const store = await open(() => time.now);
      await store.keepSession('a', session, 10_000);
      expect(await store.session('a')).toEqual(session);
      expect(await store.session('b')).toBeUndefined();
      time.now += 10_001;
      expect(await store.session('a')).toBeUndefined();
      await store.close();
    });

    test('a ticket is spent by exactly one of 100 concurrent callers', async () => {
      const store = await open(() => 1_000_000);
      const results = await Promise.all(
        Array.from({ length: 100 }, () => Promise.resolve(store.spend('ticket', 60_000))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      await store.close();
    });

    test('a budget of 10 a minute lets 10 pass at once and says how long the 11th waits', async () => {
      const time = { now: 1_000_000 };
      const store = await open(() => time.now);
      const budget = { requests: 10, perMs: 60_000 };
      for (let i = 0; i < 10; i++) expect(await store.take('b', 'k', budget)).toBe(0);
      expect(await store.take('b', 'k', budget)).toBeCloseTo(6_000, 0);
      expect(await store.take('b', 'another', budget)).toBe(0);
      expect(await store.take('another', 'k', budget)).toBe(0);
      time.now += 6_000;
      expect(await store.take('b', 'k', budget)).toBe(0);
      expect(await store.take('b', 'k', budget)).toBeGreaterThan(0);
      time.now += 60_000;
      for (let i = 0; i < 10; i++) expect(await store.take('b', 'k', budget)).toBe(0);
      await store.close();
    });

    test('a refused request costs nothing: waiting the time it was told is enough', async () => {
      const time = { now: 1_000_000 };
      const store = await open(() => time.now);
      const budget = { requests: 3, perMs: 1_000 };
      for (let i = 0; i < 3; i++) expect(await store.take('b', 'k', budget)).toBe(0);
      for (let i = 0; i < 50; i++) expect(await store.take('b', 'k', budget)).toBeGreaterThan(0);
      time.now += Math.ceil(await store.take('b', 'k', budget));
      expect(await store.take('b', 'k', budget)).toBe(0);
      await store.close();
    });
  });
}
