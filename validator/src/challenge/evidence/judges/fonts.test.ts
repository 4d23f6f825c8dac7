import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  judgedPerson,
  namedBesideAnother,
  UNLICENSED,
} from '../../testing/judged.ts';

const fontsOf = (...names: string[]) => ({ fonts: { value: names } });

describe("fonts_mismatch: none of the claimed system's fonts, and another's", () => {
  const named = ['debugger_attached', 'fonts_mismatch'];
  const MAC = [
    ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7'],
    ['Win32', 'MacIntel'],
    ['Windows', 'macOS'],
  ] as const;

  test('is weak: alone it changes nothing', () => {
    const readings = fontsOf('DejaVu Sans');
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings })).toMatchObject({ kind: 'human' });
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings })).toEqual(named);
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings, words: MAC })).toEqual(named);
    expect(
      namedBesideAnother(CHROME_ON_WINDOWS, { readings: fontsOf('Segoe UI'), words: MAC }),
    ).toEqual(named);
  });

  test.each([
    ['one of its own is there, beside many others', ['Consolas', 'DejaVu Sans', 'Menlo', 'Roboto']],
    ['no font at all is admitted', []],
  ])('no finding: %s', (_how, names) => {
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: fontsOf(...names) })).toEqual([]);
  });

  test('no finding: Firefox, whose privacy modes choose the fonts, and Linux, which has any', () => {
    const windows = [['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64']] as const;
    const readings = fontsOf('DejaVu Sans');
    expect(namedBesideAnother('firefox-headful', { readings, words: windows })).toEqual([]);
    const linux = { readings: fontsOf('Segoe UI') };
    expect(namedBesideAnother('chromium-headful-incognito', linux)).toEqual([]);
  });

  test('with the formats missing as well, for a cause of its own, it is a doubt', () => {
    expect(
      judgedPerson(CHROME_ON_WINDOWS, { readings: { ...UNLICENSED, ...fontsOf('DejaVu Sans') } }),
    ).toEqual({
      kind: 'doubtful',
      reasons: ['codecs_mismatch', 'fonts_mismatch'],
    });
  });
});
