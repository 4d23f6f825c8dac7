import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const code = globSync('**/*.ts', { cwd: root })
  .filter((file) => !/\.test\.ts$|(?:^|\/)testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The files of the validator that match this pattern. */
function filesWith(pattern: RegExp): string[] {
  return code
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted();
}

test('the scan finds the code', () => {
  expect(code.length).toBeGreaterThan(80);
  expect(filesWith(/class Verification/)).toEqual(['challenge/verification.ts']);
});

test('only a verification creates a session: one file stores new sessions, and one file makes verified sessions', () => {
  // The other two files store no new session: renewal.ts stores the newest value of a session, and end-session.ts ends
  // a session.
  expect(filesWith(/\.keepSession\(/)).toEqual([
    'challenge/settle.ts',
    'session/end-session.ts',
    'session/renewal.ts',
  ]);
  // The file explain/explain.ts assumes a verified session, but its store stores nothing.
  expect(filesWith(/state: 'verified',\n/)).toEqual([
    'challenge/verification.ts',
    'explain/explain.ts',
  ]);
  expect(filesWith(/Verification\.afterSpending\(/)).toEqual(['challenge/settle.ts']);
  expect(filesWith(/new Verification\(/)).toEqual(['challenge/verification.ts']);
});

test('the stored session and its id come from the verification', () => {
  const settle = readFileSync(join(root, 'challenge/settle.ts'), 'utf8');
  const calls = [...settle.matchAll(/keepSession\(\s*([^,]+),\s*([^,]+)/g)].map(([, id, value]) => [
    id,
    value,
  ]);
  expect(calls).toEqual([
    ['verification.sessionId', 'verification.session(nowMs)'],
    ['sessionId', '{ ...sender'],
  ]);
});
