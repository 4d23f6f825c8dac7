import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const code = globSync('**/*.ts', { cwd: root })
  .filter(
    (file) => !/\.test\.ts$|(?:^|\/)(?:test-|store-contract)[^/]*$|(?:^|\/)testing\//.test(file),
  )
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The files of the validator in which this stands. */
function filesWith(pattern: RegExp): string[] {
  return code
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted();
}

test('the scan sees the code, or its silence would mean nothing', () => {
  expect(code.length).toBeGreaterThan(80);
  expect(filesWith(/class Verification/)).toEqual(['challenge/verification.ts']);
});

test('only a proof mints a session: one file calls keepSession, and one makes a verified session', () => {
  // renewal.ts notes which value of a session is the newest, and end-session.ts ends one.
  expect(filesWith(/\.keepSession\(/)).toEqual([
    'challenge/settle.ts',
    'session/end-session.ts',
    'session/renewal.ts',
  ]);
  // explain/explain.ts supposes one, for a store that keeps nothing.
  expect(filesWith(/state: 'verified',\n/)).toEqual([
    'challenge/verification.ts',
    'explain/explain.ts',
  ]);
  expect(filesWith(/Verification\.afterSpending\(/)).toEqual(['challenge/settle.ts']);
  expect(filesWith(/new Verification\(/)).toEqual(['challenge/verification.ts']);
});

test('what is kept as verified is what the proof says, under the id the proof is for', () => {
  const settle = readFileSync(join(root, 'challenge/settle.ts'), 'utf8');
  const calls = [...settle.matchAll(/keepSession\(\s*([^,]+),\s*([^,]+)/g)].map(([, id, of]) => [
    id,
    of,
  ]);
  expect(calls).toEqual([
    ['verification.sessionId', 'verification.session(nowMs)'],
    ['sessionId', '{ ...sender'],
  ]);
});
