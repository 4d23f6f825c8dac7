import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  doubtful,
  HUMAN,
  judgedPerson,
  namedBesideAnother,
  UNLICENSED,
} from '../../testing/judged.ts';

const fontsOf = (...names: string[]) => ({ fonts: { value: names } });

describe('fonts_mismatch: no font of the claimed system, and fonts of another system', () => {
  const named = ['debugger_attached', 'fonts_mismatch'];
  const MAC = [
    ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7'],
    ['Win32', 'MacIntel'],
    ['Windows', 'macOS'],
  ] as const;

  test('is a weak finding, which alone changes nothing', () => {
    const readings = fontsOf('DejaVu Sans');
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings })).toMatchObject(HUMAN);
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings })).toEqual(named);
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings, words: MAC })).toEqual(named);
    const other = { readings: fontsOf('Segoe UI'), words: MAC };
    expect(namedBesideAnother(CHROME_ON_WINDOWS, other)).toEqual(named);
  });

  test.each([
    ['one font of the system, with many others', ['Consolas', 'DejaVu Sans', 'Menlo', 'Roboto']],
    ['a browser that hides all fonts', []],
  ])('no finding: %s', (_how, names) => {
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: fontsOf(...names) })).toEqual([]);
  });

  test('no finding: Firefox, whose privacy modes choose the fonts, and Linux, which can have any fonts', () => {
    const windows = [['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64']] as const;
    const readings = fontsOf('DejaVu Sans');
    expect(namedBesideAnother('firefox-headful', { readings, words: windows })).toEqual([]);
    const linux = { readings: fontsOf('Segoe UI') };
    expect(namedBesideAnother('chromium-headful-incognito', linux)).toEqual([]);
  });

  test('together with missing formats, which have another cause, it is a doubt', () => {
    const readings = { ...UNLICENSED, ...fontsOf('DejaVu Sans') };
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings })).toEqual(
      doubtful('codecs_mismatch', 'fonts_mismatch'),
    );
  });
});
