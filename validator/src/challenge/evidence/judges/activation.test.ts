import { describe, expect, test } from 'vitest';
import {
  automated,
  CHROME_ON_WINDOWS,
  doubtful,
  HUMAN,
  judgePerson,
  LISTENING,
} from '../../testing/judge-recordings.ts';

const USED_WITHOUT_INPUT = {
  activation: { value: { before: false, after: true, inputs: 0 } },
} as const;

describe('a page with a user activation, although there was no input', () => {
  test('activation_without_input: the page saw no input, because a driver or an extension activated it', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: USED_WITHOUT_INPUT })).toEqual(
      doubtful('activation_without_input'),
    );
  });

  test('page_driven: the console also has a listener', () => {
    expect(
      judgePerson(CHROME_ON_WINDOWS, { readings: { ...USED_WITHOUT_INPUT, ...LISTENING } }),
    ).toEqual(automated('page_driven', 'debugger_attached'));
  });

  test.each([
    ['a key was pressed', { before: false, after: true, inputs: 1 }],
    ['the visitor clicked "try again"', { before: true, after: true, inputs: 0 }],
    ['the page has no user activation', { before: false, after: false, inputs: 0 }],
    ['an old user activation ended during the readings', { before: true, after: false, inputs: 0 }],
  ])('no finding: %s', (_who, value) => {
    const readings = { activation: { value } };
    expect(judgePerson(CHROME_ON_WINDOWS, { readings })).toEqual(HUMAN);
  });

  test('no finding: developer tools are open', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: LISTENING })).toMatchObject(HUMAN);
  });

  test.each([
    'android-webview',
    'chrome-android',
    'chrome-android-desktop-mode',
    'qtwebengine',
    'safari-iphone',
  ])('no finding: %s, because its application can run scripts in the page', (name) => {
    expect(judgePerson(name, { readings: USED_WITHOUT_INPUT }).kind).toBe('human');
  });
});
