import { expect, test } from 'vitest';
import { readAnswer } from './read-answer.ts';

const decision = { id: 1, type: 'ban', scope: 'Ip', value: '203.0.113.1', duration: '4h' };

test.each([
  '{}',
  '{"message":"access forbidden"}',
  '{"deleted":null}',
  '[]',
  'null',
  '',
  '{"new":',
])('a 200 that is not a list of decisions removes nothing: %s', async (text) => {
  expect(await readAnswer(text, 0, true)).toBeUndefined();
});

test('null is an empty list, because CrowdSec writes null for it', async () => {
  const emptyAnswer = { isWhole: true, added: [], removed: [] };
  expect(await readAnswer('{"new":null,"deleted":null}', 0, true)).toEqual(emptyAnswer);
});

test('the result for an invalid duration is a number too, because the copy in the data folder is JSON, which has no NaN', async () => {
  for (const duration of ['1.2.3h', '.h', '...s', '']) {
    const text = JSON.stringify({ new: [{ ...decision, duration }], deleted: [] });
    const until = (await readAnswer(text, 0, true))?.added[0]?.until;
    expect(Number.isFinite(until), duration).toBe(true);
  }
});
