import { expect, test } from 'vitest';
import { doubtful, HUMAN, judgePerson } from '../../testing/judge-recordings.ts';
import { readFixture } from '../../testing/challenged-visitor.ts';

const { screen } = readFixture('human/chromium-headful-incognito.json').evidence.readings;
if (!('value' in screen)) throw new Error('the recording has a screen');
const SCREEN = { ...screen.value, width: 1280, height: 720, innerWidth: 1280, innerHeight: 720 };

const judgeScreen = (change: object) =>
  judgePerson('chromium-headful-xvfb-default-screen', {
    readings: { screen: { value: { ...SCREEN, ...change } } },
  });

test('emulated_screen: the viewport is as large as the screen, and the window is taller', () => {
  expect(judgeScreen({ outerWidth: 1288, outerHeight: 805 })).toEqual(doubtful('emulated_screen'));
});

test.each([
  ['is as large as the screen', { outerWidth: 1280, outerHeight: 720 }],
  ['is larger than the screen', { width: 800, height: 600, outerWidth: 1280, outerHeight: 807 }],
])('emulated_screen: a window on Linux %s, and has no scroll bars', (_how, change) => {
  expect(judgeScreen({ ...change, scrollBar: 0 })).toEqual(doubtful('emulated_screen'));
  expect(judgeScreen({ ...change, scrollBar: 15 })).toEqual(HUMAN);
});

test.each([
  ['full screen', { outerWidth: 1280, outerHeight: 720 }],
  ['Brave, which reports the viewport as the screen', { outerWidth: 1285, outerHeight: 727 }],
  [
    'a window that is partly outside the screen',
    { outerWidth: 1400, outerHeight: 900, innerHeight: 801 },
  ],
])('no finding: %s', (_who, change) => {
  expect(judgeScreen(change)).toEqual(HUMAN);
});
