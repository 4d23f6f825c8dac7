import { describe, expect, test } from 'vitest';
import {
  automated,
  CHROME_ON_WINDOWS,
  HUMAN,
  judgePerson,
} from '../../testing/judge-recordings.ts';

const NO_WINDOW = {
  chrome: { unread: 'absent' },
  plugins: { value: { plugins: 0 } },
  permissions: { value: { notification: 'denied', query: 'prompt' } },
} as const;

describe('headless_browser: no window.chrome, no plug-in, and two different answers about one permission', () => {
  const HEADLESS = automated('headless_browser');

  test('is a finding when all three signs occur together', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: NO_WINDOW })).toEqual(HEADLESS);
  });

  test.each([
    ['an embedded engine has no window.chrome', { chrome: NO_WINDOW.chrome }],
    ['the PDF viewer was turned off', { plugins: NO_WINDOW.plugins }],
    ['a policy decides about the permission', { permissions: NO_WINDOW.permissions }],
    ['there is a PDF viewer', { ...NO_WINDOW, plugins: { value: { plugins: 5 } } }],
    [
      'both answers about the permission are the same',
      { ...NO_WINDOW, permissions: { value: { notification: 'denied', query: 'denied' } } },
    ],
    ['window.chrome could not be read in time', { ...NO_WINDOW, chrome: { unread: 'timeout' } }],
  ] as const)('no finding: %s', (_who, readings) => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings })).toEqual(HUMAN);
  });

  test('no finding: WebView on a phone, which lacks all three', () => {
    expect(judgePerson('chrome-android', { readings: NO_WINDOW })).toEqual(HUMAN);
  });

  test('is a finding when the brands name it, because a replaced User-Agent does not change the brands', () => {
    const brands = [{ brand: 'HeadlessChrome', version: '156' }];
    const hints = {
      value: { brands, platform: 'Windows', fullVersions: 1 },
    };
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: { hints } })).toEqual(HEADLESS);
  });
});
