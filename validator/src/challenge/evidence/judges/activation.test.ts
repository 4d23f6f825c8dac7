import { describe, expect, test } from 'vitest';
import { CHROME_ON_WINDOWS, judgedPerson } from '../../testing/judged.ts';

const USED = { activation: { value: { before: false, after: true, inputs: 0 } } } as const;
const LISTENING = { inspector: { value: { stacksFormatted: 1 } } } as const;

describe('a page that counts as used without input', () => {
  test('activation_without_input: a driver ran a script in it, or an extension after a click', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: USED })).toEqual({
      kind: 'doubtful',
      reasons: ['activation_without_input'],
    });
  });

  test('page_driven: the driver also listens to the console', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: { ...USED, ...LISTENING } })).toEqual({
      kind: 'automated',
      reasons: ['page_driven', 'debugger_attached'],
    });
  });

  test.each([
    ['a key was pressed', { before: false, after: true, inputs: 1 }],
    ['somebody had clicked "try again"', { before: true, after: true, inputs: 0 }],
    ['the page is not used', { before: false, after: false, inputs: 0 }],
    ['a click long ago has run out', { before: true, after: false, inputs: 0 }],
  ])('no finding: %s', (_who, value) => {
    const readings = { activation: { value } };
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings })).toEqual({ kind: 'human' });
  });

  test('no finding: developer tools are open', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: LISTENING })).toMatchObject({
      kind: 'human',
    });
  });

  test.each([
    'android-webview',
    'chrome-android',
    'chrome-android-desktop-mode',
    'qtwebengine',
    'safari-iphone',
  ])('no finding: %s, whose applications may run scripts so', (name) => {
    expect(judgedPerson(name, { readings: USED }).kind).toBe('human');
  });
});
