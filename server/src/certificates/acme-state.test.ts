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

const issuedFor = (host: string, directory = DIRECTORY) => ({
  host,
  directory,
  cert: 'c',
  key: 'k',
});

function dueHostOf(state: AcmeState, certificates: Record<string, IssuedCertificate>, now: number) {
  const map = new Map(Object.entries(certificates));
  return dueHost(state, HOSTS, { directory: DIRECTORY }, map, now);
}

describe('dueHost chooses', () => {
  test('a host without a certificate, in the order of the settings', () => {
    expect(dueHostOf(NO_STATE, {}, 0)).toBe('shop.example');
    const one = withCertificate(NO_STATE, issuedFor('shop.example'), HOSTS);
    expect(dueHostOf(one, { 'shop.example': certificate('c') }, 0)).toBe('blog.example');
  });

  test('no host during an order, until the order is treated as abandoned', () => {
    const state = { ...NO_STATE, order: { by: 'another', until: 100 } };
    expect([dueHostOf(state, {}, 99), dueHostOf(state, {}, 100)]).toEqual([
      undefined,
      'shop.example',
    ]);
  });

  test('a host whose certificate comes from another authority than the settings name', () => {
    const state = withCertificate(
      NO_STATE,
      issuedFor('shop.example', 'https://staging.example'),
      HOSTS,
    );
    expect(dueHostOf(state, { 'shop.example': certificate('c') }, 0)).toBe('shop.example');
  });

  test.each([90, 6, 47])(
    'the host of a certificate of %i days in the last third of its life, at a different time for each certificate',
    (days) => {
      const renewalTimes = Array.from({ length: 50 }, (_, i) =>
        renewalAt(certificate(`${i}`, days * DAY)),
      );
      const shares = renewalTimes.map((at) => (days * DAY - at) / (days * DAY));
      expect(Math.max(...shares)).toBeLessThanOrEqual(1 / 3);
      expect(Math.min(...shares)).toBeGreaterThan(1 / 4);
      expect(new Set(renewalTimes).size).toBe(50);
    },
  );

  test('the host of a failed renewal again after a wait; the old certificate stays', () => {
    const now = 80 * DAY;
    const certificates = {
      'shop.example': certificate('c'),
      'blog.example': certificate('b', 900 * DAY),
    };
    let state = withCertificate(NO_STATE, issuedFor('shop.example'), HOSTS);
    state = withCertificate(state, issuedFor('blog.example'), HOSTS);
    expect(dueHostOf(state, certificates, now)).toBe('shop.example');
    state = withFailure(state, 'shop.example', { kind: 'refused', reason: 'no' }, now);
    expect(dueHostOf(state, certificates, now)).toBeUndefined();
    expect(dueHostOf(state, certificates, now + 2 * 60_000)).toBe('shop.example');
    expect(state.certificates).toHaveLength(2);
  });
});

describe('after a failed order', () => {
  function waitTimes(kind: 'refused' | 'away', times: number): number[] {
    let state: AcmeState = NO_STATE;
    return Array.from({ length: times }, () => {
      state = withFailure(state, 'shop.example', { kind, reason: 'no' }, 0);
      return (state.failures[0]?.retryAt ?? 0) / 1000;
    });
  }

  test('a refused host has at most five attempts in the first hour, and fewer after that', () => {
    const allWaits = waitTimes('refused', 12);
    expect(allWaits.slice(0, 6)).toEqual([120, 240, 480, 960, 1920, 3840]);
    expect(allWaits.at(-1)).toBe(12 * 3600);
  });

  test('an unreachable authority is asked again after seconds, and later every ten minutes', () => {
    expect(waitTimes('away', 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
  });

  test('a new certificate removes the failure of its host, and the certificates of hosts that the settings no longer name', () => {
    const failedState = withFailure(NO_STATE, 'shop.example', { kind: 'away', reason: 'no' }, 0);
    const stateWithGone = withCertificate(failedState, issuedFor('gone.example'), [
      ...HOSTS,
      'gone.example',
    ]);
    const state = withCertificate(stateWithGone, issuedFor('shop.example'), HOSTS);
    expect(state).toEqual({
      ...NO_STATE,
      order: undefined,
      certificates: [issuedFor('shop.example')],
    });
  });
});

describe('the stored text', () => {
  const state = withCertificate(NO_STATE, issuedFor('shop.example'), HOSTS);

  test('opens with a rotated secret, but with no other secret', () => {
    const sealedState = sealState([OLDER], state);
    expect(openState([SECRET, OLDER], sealedState)).toEqual({ ...state, order: undefined });
    expect(openState([SECRET], sealedState)).toBeUndefined();
  });

  test('does not open after a change of one byte; another text does not open either', () => {
    const sealedState = Buffer.from(sealState([SECRET], state), 'base64');
    for (const at of [0, 12, 28, sealedState.length - 1]) {
      const changedBytes = Buffer.from(sealedState);
      changedBytes[at] = (changedBytes[at] ?? 0) ^ 1;
      expect(openState([SECRET], changedBytes.toString('base64'))).toBeUndefined();
    }
    for (const text of ['{}', 'x', '=', 'A'.repeat(38)]) {
      expect(openState([SECRET], text)).toBeUndefined();
    }
    expect(openState([SECRET], '')).toEqual(NO_STATE);
  });
});
