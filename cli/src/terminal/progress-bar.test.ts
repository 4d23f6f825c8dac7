import { expect, test } from 'vitest';
import { createProgressBar } from './progress-bar.ts';

function drawn(isTTY: boolean, columns = 80): string {
  let text = '';
  const bar = createProgressBar({ isTTY, columns, write: (part) => (text += part) }, 4);
  bar.advance('google-common');
  bar.advance('telegram');
  bar.end();
  return text;
}

test('a bar is drawn on a terminal, over itself, and taken away at the end', () => {
  const frames = drawn(true).split('\r\u001b[K').slice(1);
  expect(frames).toEqual([
    '[........................] 0/4 ',
    '[######..................] 1/4 google-common',
    '[############............] 2/4 telegram',
    '',
  ]);
});

test('no line of it is wider than the terminal', () => {
  for (const frame of drawn(true, 20).split('\r\u001b[K')) expect(frame.length).toBeLessThan(20);
});

test('nothing is drawn where no terminal is', () => {
  expect(drawn(false)).toBe('');
});
