import { describe, expect, test } from 'vitest';
import { automated, HUMAN, judgedPerson } from '../../testing/judged.ts';

const readings = { partition: { value: { crossed: true } } } as const;

const AUTOMATED = automated('automation_flags');
const DESKTOP = 'chromium-headful-incognito';

describe('automation_flags: the page received a message from a frame of another site', () => {
  test('a finding in Chromium, Edge and Opera', () => {
    expect(judgedPerson(DESKTOP, { readings })).toEqual(AUTOMATED);
    for (const token of ['Edg/156.0.0.0', 'OPR/140.0.0.0']) {
      const words = [['Safari/537.36', `Safari/537.36 ${token}`]] as const;
      expect(judgedPerson(DESKTOP, { readings, words })).toEqual(AUTOMATED);
    }
  });

  test('no finding when no message arrived', () => {
    expect(
      judgedPerson(DESKTOP, { readings: { partition: { value: { crossed: false } } } }),
    ).toEqual(HUMAN);
  });

  test.each([
    ['145, the last version with a policy that turns partitions off', '156', '145'],
    ['a version that was never measured', '156', '190'],
    ['Electron', 'Safari/537.36', 'Electron/41.0.0 Safari/537.36'],
    ['an application that embeds the engine', ' Chrome/', ' Desk/2.1.0 Chrome/'],
    ['a less common browser', 'Safari/537.36', 'YaBrowser/26.10.0.0 Safari/537.36'],
  ])('no finding: %s', (_who, from, to) => {
    expect(judgedPerson(DESKTOP, { readings, words: [[from, to]] })).toEqual(HUMAN);
  });

  test.each(['android-webview', 'chrome-android', 'chrome-android-desktop-mode', 'qtwebengine'])(
    'no finding: %s, because its engine may not partition storage',
    (name) => {
      expect(judgedPerson(name, { readings })).toEqual(HUMAN);
    },
  );
});
