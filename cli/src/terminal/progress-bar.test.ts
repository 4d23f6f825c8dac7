import { expect, test } from 'vitest';
import { createProgressBar } from './progress-bar.ts';

function draw(isTTY: boolean, columns = 80): string {
  let text = '';
  const bar = createProgressBar({ isTTY, columns, write: (part) => (text += part) }, 4);
  bar.advance('google-common');
  bar.advance('telegram');
  bar.end();
  return text;
}

test('a bar is drawn on a terminal, replaced in its line, and removed at the end', () => {
  const frames = draw(true).split('\r\u001b[K').slice(1);
  expect(frames).toEqual([
    '[........................] 0/4 ',
    '[######..................] 1/4 google-common',
    '[############............] 2/4 telegram',
    '',
  ]);
});

test('a bar is not wider than the terminal', () => {
  for (const frame of draw(true, 20).split('\r\u001b[K')) expect(frame.length).toBeLessThan(20);
});

test('for many items the bar is drawn once for each percent, and its maximum is 100 %', () => {
  const frames: string[] = [];
  const bar = createProgressBar({ isTTY: true, write: (part) => frames.push(part) }, 10_000);
  for (let step = 0; step < 240; step += 1) bar.advance('rows', 50);
  expect(frames).toHaveLength(101);
  expect(frames.at(-1)).toBe('\r\u001b[K[########################] 10000/10000 rows');
});

test('nothing is drawn when the total is unknown', () => {
  const write = () => expect.unreachable();
  const bar = createProgressBar({ isTTY: true, write }, 0);
  bar.advance('bytes', 50);
});

test('nothing is drawn without a terminal', () => {
  expect(draw(false)).toBe('');
});
