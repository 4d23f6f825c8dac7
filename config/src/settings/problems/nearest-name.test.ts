import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const names = ['gateway', 'validator', 'user_agent', 'user', 'rate_limit', 'id', 'any', 'all'];

test('a longer name is found when its beginning differs in one letter', () => {
  expect(nearestName('ChatGTP', ['Chatter', 'ChatGPT-User'])).toBe('ChatGPT-User');
  expect(nearestName('ChatGTP', ['FatGPT-User', 'Chutney-Users'])).toBeUndefined();
});

test.each([
  ['gatway', 'gateway'],
  ['Gateway', 'gateway'],
  ['validater', 'validator'],
  ['user-agent', 'user_agent'],
  ['ratelimit', 'rate_limit'],
  ['username', 'user'],
  ['validtor_of_mine', undefined],
  ['user_aegn', 'user_agent'],
  ['di', 'id'],
  ['al', 'all'],
  ['database', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%s: did you mean %s?', (name, meantName) => {
  expect(nearestName(name, names)).toBe(meantName);
});
