import type { IssuedCertificate } from '@guard/config/settings/sections/tls';
import { describe, expect, test } from 'vitest';
import {
  type AcmeState,
  dueHost,
  NO_STATE,
  openState,
  renewalAt,
  sealState,
  withCertificate,
  withFailure,
} from './acme-state.ts';

const DAY = 86_400_000;
const DIRECTORY = 'https://ca.example/dir';
const [SECRET, OLDER] = ['a-secret-of-the-test-0123456789', 'an-older-secret-of-the-test-01234'];
const HOSTS = ['shop.example', 'blog.example'];

function certificate(text: string, lifetime = 90 * DAY): IssuedCertificate {
  const cert = Buffer.from(text);
  return { cert, key: cert, hosts: ['shop.example'], startsAt: 0, expiresAt: lifetime };
}

const issued = (host: string, directory = DIRECTORY) => ({ host, directory, cert: 'c', key: 'k' });

function due(state: AcmeState, held: Record<string, IssuedCertificate>, now: number) {
  const map = new Map(Object.entries(held));
  return dueHost(state, HOSTS, { directory: DIRECTORY }, map, now);
}

describe('dueHost chooses', () => {
  test('a host without a certificate, in the order of the settings', () => {
    expect(due(NO_STATE, {}, 0)).toBe('shop.example');
    const one = withCertificate(NO_STATE, issued('shop.example'), HOSTS);
    expect(due(one, { 'shop.example': certificate('c') }, 0)).toBe('blog.example');
  });

  test('no host during an order, until the order counts as abandoned', () => {
    const state = { ...NO_STATE, order: { by: 'another', until: 100 } };
    expect([due(state, {}, 99), due(state, {}, 100)]).toEqual([undefined, 'shop.example']);
  });

  test('a host whose certificate is from another authority', () => {
    const state = withCertificate(
      NO_STATE,
      issued('shop.example', 'https://staging.example'),
      HOSTS,
    );
    expect(due(state, { 'shop.example': certificate('c') }, 0)).toBe('shop.example');
  });

  test.each([90, 6, 47])(
    'a certificate of %i days in its last third, and each at another time',
    (days) => {
      const starts = Array.from({ length: 50 }, (_, i) =>
        renewalAt(certificate(`${i}`, days * DAY)),
      );
      const left = starts.map((at) => (days * DAY - at) / (days * DAY));
      expect(Math.max(...left)).toBeLessThanOrEqual(1 / 3);
      expect(Math.min(...left)).toBeGreaterThan(1 / 4);
      expect(new Set(starts).size).toBe(50);
    },
  );

  test('a failed renewal again after a wait; the certificate stays', () => {
    const now = 80 * DAY;
    const held = { 'shop.example': certificate('c'), 'blog.example': certificate('b', 900 * DAY) };
    let state = withCertificate(NO_STATE, issued('shop.example'), HOSTS);
    state = withCertificate(state, issued('blog.example'), HOSTS);
    expect(due(state, held, now)).toBe('shop.example');
    state = withFailure(state, 'shop.example', { kind: 'refused', reason: 'no' }, now);
    expect(due(state, held, now)).toBeUndefined();
    expect(due(state, held, now + 2 * 60_000)).toBe('shop.example');
    expect(state.certificates).toHaveLength(2);
  });
});

describe('a failed order', () => {
  function waits(kind: 'refused' | 'away', times: number): number[] {
    let state: AcmeState = NO_STATE;
    return Array.from({ length: times }, () => {
      state = withFailure(state, 'shop.example', { kind, reason: 'no' }, 0);
      return (state.failures[0]?.retryAt ?? 0) / 1000;
    });
  }

  test('after a refusal, there are at most five attempts in the first hour, then fewer', () => {
    const all = waits('refused', 12);
    expect(all.slice(0, 6)).toEqual([120, 240, 480, 960, 1920, 3840]);
    expect(all.at(-1)).toBe(12 * 3600);
  });

  test('an unreachable authority is asked again after seconds, later every ten minutes', () => {
    expect(waits('away', 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
  });

  test('the failure is removed when the certificate comes, as are certificates of removed hosts', () => {
    const failed = withFailure(NO_STATE, 'shop.example', { kind: 'away', reason: 'no' }, 0);
    const gone = withCertificate(failed, issued('gone.example'), [...HOSTS, 'gone.example']);
    const state = withCertificate(gone, issued('shop.example'), HOSTS);
    expect(state).toEqual({
      ...NO_STATE,
      order: undefined,
      certificates: [issued('shop.example')],
    });
  });
});

describe('the stored text', () => {
  const state = withCertificate(NO_STATE, issued('shop.example'), HOSTS);

  test('opens with a rotated secret, and with no other', () => {
    const sealed = sealState([OLDER], state);
    expect(openState([SECRET, OLDER], sealed)).toEqual({ ...state, order: undefined });
    expect(openState([SECRET], sealed)).toBeUndefined();
  });

  test('does not open after a change of one byte, and neither does any other text', () => {
    const sealed = Buffer.from(sealState([SECRET], state), 'base64');
    for (const at of [0, 12, 28, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openState([SECRET], changed.toString('base64'))).toBeUndefined();
    }
    for (const text of ['{}', 'x', '=', 'A'.repeat(38)]) {
      expect(openState([SECRET], text)).toBeUndefined();
    }
    expect(openState([SECRET], '')).toEqual(NO_STATE);
  });
});
