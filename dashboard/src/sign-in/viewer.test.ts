import { expect, test } from 'vitest';
import { membershipOf } from './viewer.ts';

const ORGANISATIONS = { shop: 'acme', others: 'rival' };

test('a text lists groups with commas, semicolons or bars; the settings say which of several counts', () => {
  expect(membershipOf('staff, others', ORGANISATIONS)?.organisation).toBe('rival');
  expect(membershipOf('others;shop', ORGANISATIONS)?.organisation).toBe('acme');
  expect(membershipOf('shopping|__proto__', ORGANISATIONS)).toBeUndefined();
});

test('a list has one group in each text: a comma in a name makes no second group', () => {
  expect(membershipOf(['staff', 'others'], ORGANISATIONS)?.organisation).toBe('rival');
  expect(membershipOf(['my team,shop', ' shop'], ORGANISATIONS)).toBeUndefined();
  expect(membershipOf([['shop'], { shop: true }, 1], ORGANISATIONS)).toBeUndefined();
});
