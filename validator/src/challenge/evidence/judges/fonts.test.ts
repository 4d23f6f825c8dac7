import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  doubtful,
  HUMAN,
  judgePerson,
  reasonsBesideListener,
  UNLICENSED,
} from '../../testing/judge-recordings.ts';

const fontsOf = (...names: string[]) => ({ fonts: { value: names } });

describe('fonts_mismatch: no font of the claimed system, and fonts of another system', () => {
  const BOTH_REASONS = ['debugger_attached', 'fonts_mismatch'];
  const MAC = [
    ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7'],
    ['Win32', 'MacIntel'],
    ['Windows', 'macOS'],
  ] as const;

  test('is a weak finding, which does not change the judgement by itself', () => {
    const readings = fontsOf('DejaVu Sans');
    expect(judgePerson(CHROME_ON_WINDOWS, { readings })).toMatchObject(HUMAN);
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings })).toEqual(BOTH_REASONS);
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings, words: MAC })).toEqual(
      BOTH_REASONS,
    );
    const windowsFontOnMac = { readings: fontsOf('Segoe UI'), words: MAC };
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, windowsFontOnMac)).toEqual(BOTH_REASONS);
  });

  test.each([
    ['one font of the system, with many others', ['Consolas', 'DejaVu Sans', 'Menlo', 'Roboto']],
    ['a browser that hides all fonts', []],
  ])('no finding: %s', (_how, names) => {
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings: fontsOf(...names) })).toEqual([]);
  });

  test('no finding: Firefox, whose privacy modes choose the fonts, and Linux, which can have any fonts', () => {
    const wordsOfWindows = [['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64']] as const;
    const readings = fontsOf('DejaVu Sans');
    expect(reasonsBesideListener('firefox-headful', { readings, words: wordsOfWindows })).toEqual(
      [],
    );
    const windowsFontOnLinux = { readings: fontsOf('Segoe UI') };
    expect(reasonsBesideListener('chromium-headful-incognito', windowsFontOnLinux)).toEqual([]);
  });

  test('fonts_mismatch and codecs_mismatch have different causes, and together they are a doubt', () => {
    const readings = { ...UNLICENSED, ...fontsOf('DejaVu Sans') };
    expect(judgePerson(CHROME_ON_WINDOWS, { readings })).toEqual(
      doubtful('codecs_mismatch', 'fonts_mismatch'),
    );
  });
});
