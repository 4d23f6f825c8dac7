import { describe, expect, test } from 'vitest';
import {
  automated,
  CHROME_ON_WINDOWS,
  doubtful,
  HUMAN,
  judgedPerson,
  LISTENING,
} from '../../testing/judged.ts';

const USED = { activation: { value: { before: false, after: true, inputs: 0 } } } as const;

describe('a page that counts as used without input', () => {
  test('activation_without_input: the page saw no input, as with a driver or an extension', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: USED })).toEqual(
      doubtful('activation_without_input'),
    );
  });

  test('page_driven: the console also has a listener', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: { ...USED, ...LISTENING } })).toEqual(
      automated('page_driven', 'debugger_attached'),
    );
  });

  test.each([
    ['a key was pressed', { before: false, after: true, inputs: 1 }],
    ['the visitor clicked "try again"', { before: true, after: true, inputs: 0 }],
    ['the page does not count as used', { before: false, after: false, inputs: 0 }],
    ['a click was too long ago', { before: true, after: false, inputs: 0 }],
  ])('no finding: %s', (_who, value) => {
    const readings = { activation: { value } };
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings })).toEqual(HUMAN);
  });

  test('no finding: developer tools are open', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: LISTENING })).toMatchObject(HUMAN);
  });

  test.each([
    'android-webview',
    'chrome-android',
    'chrome-android-desktop-mode',
    'qtwebengine',
    'safari-iphone',
  ])('no finding: %s, because its application may run scripts in the page', (name) => {
    expect(judgedPerson(name, { readings: USED }).kind).toBe('human');
  });
});
