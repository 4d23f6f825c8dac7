import { expect, test } from 'vitest';
import { SignIns } from './sign-ins.ts';

const HOUR_MS = 3_600_000;

function startAt(beganAt: number) {
  let now = beganAt;
  return { signIns: new SignIns(() => now), pass: (ms: number) => void (now += ms) };
}

test('a sign-in ends after 12 hours, even when it is in use', () => {
  const { signIns, pass } = startAt(1_000_000);
  const token = signIns.begin({ via: 'link', organisation: 'acme' });
  pass(6 * HOUR_MS);
  expect(signIns.find(token)).toMatchObject({ signedIn: { organisation: 'acme' } });
  pass(6 * HOUR_MS - 1);
  expect(signIns.find(token)).toBeDefined();
  pass(2);
  expect(signIns.find(token)).toBeUndefined();
});

test('a link signs in once, and only within ten minutes', () => {
  const { signIns, pass } = startAt(1_000_000);
  const [used, late] = [signIns.createLink('acme'), signIns.createLink('acme')];
  expect(signIns.takeLink(used)).toBe('acme');
  expect(signIns.takeLink(used)).toBeUndefined();
  pass(600_001);
  expect(signIns.takeLink(late)).toBeUndefined();
});

test('the 1,001st sign-in ends the least recently used one', () => {
  const { signIns } = startAt(1_000_000);
  const [first = '', second = '', ...others] = Array.from({ length: 1_000 }, () =>
    signIns.begin({ via: 'link', organisation: 'acme' }),
  );
  signIns.find(first);
  signIns.begin({ via: 'link', organisation: 'acme' });
  expect(signIns.find(second)).toBeUndefined();
  expect([first, ...others].filter((token) => signIns.find(token) === undefined)).toEqual([]);
});

test('many sign-ins of one organisation do not end a sign-in of another organisation', () => {
  const { signIns } = startAt(1_000_000);
  const begin = (organisation: string) => signIns.begin({ via: 'link', organisation });
  const tokens = Array.from({ length: 10 }, () => begin('acme'));
  const rivals = Array.from({ length: 3_000 }, () => begin('rival'));
  expect(tokens.filter((token) => signIns.find(token) === undefined)).toEqual([]);
  expect(rivals.filter((token) => signIns.find(token) !== undefined)).toHaveLength(990);
});
