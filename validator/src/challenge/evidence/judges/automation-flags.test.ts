import { describe, expect, test } from 'vitest';
import { automated, HUMAN, judgePerson } from '../../testing/judge-recordings.ts';

const CROSSED_PARTITION = { partition: { value: { crossed: true } } } as const;

const AUTOMATED = automated('automation_flags');
const DESKTOP = 'chromium-headful-incognito';

describe('automation_flags: the page received a message from a frame of another site', () => {
  test('a finding in Chromium, Edge and Opera', () => {
    expect(judgePerson(DESKTOP, { readings: CROSSED_PARTITION })).toEqual(AUTOMATED);
    for (const token of ['Edg/156.0.0.0', 'OPR/140.0.0.0']) {
      const words = [['Safari/537.36', `Safari/537.36 ${token}`]] as const;
      expect(judgePerson(DESKTOP, { readings: CROSSED_PARTITION, words })).toEqual(AUTOMATED);
    }
  });

  test('no finding when no message arrived', () => {
    expect(
      judgePerson(DESKTOP, { readings: { partition: { value: { crossed: false } } } }),
    ).toEqual(HUMAN);
  });

  test.each([
    ['version 145, the last one with a policy that turns partitions off', '156', '145'],
    ['a version that was never measured', '156', '190'],
    ['Electron', 'Safari/537.36', 'Electron/41.0.0 Safari/537.36'],
    ['an application that embeds the engine', ' Chrome/', ' Desk/2.1.0 Chrome/'],
    ['a less common browser', 'Safari/537.36', 'YaBrowser/26.10.0.0 Safari/537.36'],
  ])('no finding: %s', (_who, from, to) => {
    expect(judgePerson(DESKTOP, { readings: CROSSED_PARTITION, words: [[from, to]] })).toEqual(
      HUMAN,
    );
  });

  test.each(['android-webview', 'chrome-android', 'chrome-android-desktop-mode', 'qtwebengine'])(
    'no finding: %s, because its engine can lack partitions of storage',
    (name) => {
      expect(judgePerson(name, { readings: CROSSED_PARTITION })).toEqual(HUMAN);
    },
  );
});

describe('automation_flags: the browser allowed a flood of history updates', () => {
  const judgeFlood = (
    asked: number,
    granted: number,
    name = 'chromium-headful-xvfb-default-screen',
  ) => judgePerson(name, { readings: { flooding: { value: { asked, granted } } } });

  test('a finding when the browser allowed every update', () => {
    expect(judgeFlood(5_000, 5_000)).toEqual(AUTOMATED);
    expect(judgeFlood(5_000, 5_000, 'firefox-headful')).toEqual(AUTOMATED);
  });

  test.each([
    ['a limit of 200', 201, 200],
    ['no update', 201, 0],
    ['a limit of 1,000', 1_001, 1_000],
    ['a higher limit, which a later version can have', 5_000, 2_000],
    ['one update more than the usual limit', 5_000, 201],
  ])('no finding: the browser allowed %s', (_what, asked, granted) => {
    expect(judgeFlood(asked, granted)).toEqual(HUMAN);
    expect(judgeFlood(asked, granted, 'firefox-headful')).toEqual(HUMAN);
  });

  test('a flood of history updates is a finding in every version', () => {
    const readings = { flooding: { value: { asked: 5_000, granted: 5_000 } } };
    expect(judgePerson(DESKTOP, { readings, words: [['156', '290']] })).toEqual(AUTOMATED);
  });
});
