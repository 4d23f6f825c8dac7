import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  judgedPerson,
  namedBesideAnother,
  UNLICENSED,
} from '../../testing/judged.ts';

const YES = { plays: 'probably', streams: true };
const NO = { plays: '', streams: false };

describe('codecs_mismatch: Chrome or Edge without the formats it brings along', () => {
  const named = ['debugger_attached', 'codecs_mismatch'];

  test('is weak: alone it changes nothing', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toMatchObject({
      kind: 'human',
    });
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toEqual(named);
  });

  test('Edge is known by its brand as well, and on a plain-http host no browser is', () => {
    const edge = [['Google Chrome', 'Microsoft Edge']] as const;
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED, words: edge })).toEqual(
      named,
    );
    const unhinted = { ...UNLICENSED, hints: { unread: 'absent' } } as const;
    const plain = { readings: unhinted, words: [['"sec-ch-ua"', '"x-unhinted"']] } as const;
    expect(namedBesideAnother(CHROME_ON_WINDOWS, plain)).toEqual([]);
  });

  test.each(['Brave', 'Opera', 'Chromium', 'Google Chrome for Testing'])(
    'no finding: %s, which names itself',
    (brand) => {
      const words = [['Google Chrome', brand]] as const;
      expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED, words })).toEqual([]);
    },
  );

  test.each([
    ['an extension says no to all formats', { h264: NO, aac: NO, vp9: NO }],
    ['only one of the two is missing', { h264: NO, aac: YES, vp9: YES }],
    [
      'one of the two ways to ask says yes',
      { h264: { plays: '', streams: true }, aac: NO, vp9: YES },
    ],
  ])('no finding: %s', (_who, value) => {
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: { media: { value } } })).toEqual([]);
  });

  test('no finding: a phone', () => {
    expect(namedBesideAnother('chrome-android', { readings: UNLICENSED })).toEqual([]);
  });
});
