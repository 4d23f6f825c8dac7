import { sessionRoot } from '@guard/config/contract/session-root';
import { describe, expect, test } from 'vitest';
import { createSealer } from './sealer.ts';
import { createSessionIds } from './session-id.ts';
import { isDue, isLater } from './session-value.ts';

const ids = createSessionIds(createSealer(['a secret of the installation'], 'session'));

describe('the _guard cookie value is a bare UUID (contract 2.1)', () => {
  test('a new id is a UUID of version 8, and isOurs recognises it', () => {
    const id = ids.mint('acme');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.isOurs('acme', id)).toBe(true);
    expect(ids.isOurs('acme', id.toUpperCase())).toBe(true);
  });

  test('isOurs refuses an id of another organisation or of another secret', () => {
    const id = ids.mint('acme');
    expect(ids.isOurs('other', id)).toBe(false);
    const stranger = createSessionIds(createSealer(['another secret altogether'], 'session'));
    expect(stranger.isOurs('acme', id)).toBe(false);
  });

  test('isOurs refuses an id with any changed hex digit', () => {
    const id = ids.mint('acme');
    for (let at = 0; at < id.length; at++) {
      if (id[at] === '-') continue;
      const changedDigit = id[at] === '0' ? '1' : '0';
      const changedId = id.slice(0, at) + changedDigit + id.slice(at + 1);
      expect(ids.isOurs('acme', changedId), changedId).toBe(false);
    }
  });

  test('isOurs refuses a text that is no UUID', () => {
    for (const text of ['', 'x', `${ids.mint('acme')}0`, 'g'.repeat(36), '-'.repeat(36)]) {
      expect(ids.isOurs('acme', text)).toBe(false);
    }
  });

  test('after a rotation, isOurs still accepts ids of the previous secret', () => {
    const rotated = createSessionIds(
      createSealer(['the new secret of the house', 'a secret of the installation'], 'session'),
    );
    expect(rotated.isOurs('acme', ids.mint('acme'))).toBe(true);
    expect(ids.isOurs('acme', rotated.mint('acme'))).toBe(false);
  });
});

describe('the later values of a session', () => {
  const hour = 3_600_000;
  const start = Date.UTC(2026, 10, 21, 12, 34, 56);

  test('pass isOurs, have one root and later periods, and are the same from any value of the session', () => {
    const first = ids.mint('acme', start);
    let previousValue = first;
    // This time has more periods than 13 bits can count.
    for (let at = start; at < start + 100 * 24 * hour; at += hour) {
      const value = ids.renewed('acme', previousValue, at);
      expect(ids.renewed('acme', first, at)).toBe(value);
      expect(ids.isOurs('acme', value)).toBe(true);
      expect(sessionRoot(value)).toBe(sessionRoot(first));
      expect([isLater(value, previousValue), isLater(previousValue, value)]).toEqual([true, false]);
      expect([isDue(value, 0, at), isDue(value, 0, at + hour)]).toEqual([false, true]);
      previousValue = value;
    }
  });

  test('1,000 sessions are renewed at different times', () => {
    const countDue = (minutes: number) =>
      Array.from({ length: 1_000 }, () => ids.mint('acme')).filter((id) =>
        isDue(id, start, start + minutes * 60_000),
      ).length;
    expect(countDue(15)).toBe(1_000);
    expect(countDue(5)).toBeGreaterThan(200);
    expect(countDue(5)).toBeLessThan(470);
  });

  test('contain no mark of a challenge', () => {
    const value = ids.renewed('acme', ids.mint('acme', start), start);
    for (let at = start; at < start + 2 * hour; at += 60_000) {
      expect(ids.shownChallenge(value, at)).toBe('none');
    }
  });
});

describe('the mark of a challenge in an id (contract 2.2: "interstitial never cleared")', () => {
  const minute = 60_000;
  const start = Date.UTC(2026, 10, 21, 12, 34, 56);
  const isUncleared = (ageMs: number, id = ids.mint('acme', start)) =>
    ids.shownChallenge(id, start + ageMs) === 'uncleared';

  test('is missing in an id without a challenge', () => {
    const id = ids.mint('acme');
    for (let age = 0; age < 600; age += 1) expect(isUncleared(age * minute, id)).toBe(false);
  });

  test('is not "uncleared" while the ticket is valid', () => {
    for (let age = 0; age <= 10; age += 1) expect(isUncleared(age * minute)).toBe(false);
    const id = ids.mint('acme', start);
    expect(ids.shownChallenge(id, start + 10 * minute)).toBe('open');
    expect(ids.shownChallenge(ids.mint('acme'), start)).toBe('none');
  });

  test('is "uncleared" after half an hour at the latest', () => {
    for (let age = 20; age <= 49; age += 1) expect(isUncleared(age * minute)).toBe(true);
  });

  test('is not "uncleared" after an hour, a day, a month or a clock set back, because the judgement can be forgotten', () => {
    for (const age of [60, 61, 24 * 60, 25 * 60, 30 * 24 * 60, -1, -60]) {
      expect(isUncleared(age * minute), `${age} minutes`).toBe(false);
    }
  });

  test('cannot be changed, because the MAC covers it', () => {
    const id = ids.mint('acme', start);
    expect(ids.isOurs('acme', id)).toBe(true);
    expect(ids.isOurs('acme', `${id.slice(0, 19)}8000${id.slice(23)}`)).toBe(false);
  });
});
