import { expect, test } from 'vitest';
import { warnIfRoot } from './warn-of-root.ts';

test.each([
  [0, ['warn runs_as_root']],
  [10001, []],
  [undefined, []],
])('user %s causes the warnings %j', (uid, lines) => {
  const logged: string[] = [];
  warnIfRoot((level, event) => logged.push(`${level} ${event}`), uid);
  expect(logged).toEqual(lines);
});
