import { expect, test } from 'vitest';
import { organisationOf } from './viewer.ts';

const ORGANISATIONS = { shop: 'acme', others: 'rival' };

test('a text lists groups with commas, semicolons or bars; the settings say which of several counts', () => {
  expect(organisationOf('staff, others', ORGANISATIONS)).toBe('rival');
  expect(organisationOf('others;shop', ORGANISATIONS)).toBe('acme');
  expect(organisationOf('shopping|__proto__', ORGANISATIONS)).toBeUndefined();
});

test('a list has one group in each text: a comma in a name makes no second group', () => {
  expect(organisationOf(['staff', 'others'], ORGANISATIONS)).toBe('rival');
  expect(organisationOf(['my team,shop', ' shop'], ORGANISATIONS)).toBeUndefined();
  expect(organisationOf([['shop'], { shop: true }, 1], ORGANISATIONS)).toBeUndefined();
});
