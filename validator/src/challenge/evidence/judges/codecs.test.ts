import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgedPerson,
  namedBesideAnother,
  UNLICENSED,
} from '../../testing/judged.ts';

const YES = { plays: 'probably', streams: true };
const NO = { plays: '', streams: false };

describe('codecs_mismatch: Chrome or Edge without its own formats', () => {
  const named = ['debugger_attached', 'codecs_mismatch'];

  test('is a weak finding, which alone changes nothing', () => {
    expect(judgedPerson(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toMatchObject(HUMAN);
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toEqual(named);
  });

  test('Edge is recognised by its brand; on plain http no browser is recognised', () => {
    const edge = [['Google Chrome', 'Microsoft Edge']] as const;
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED, words: edge })).toEqual(
      named,
    );
    const unhinted = { ...UNLICENSED, hints: { unread: 'absent' } } as const;
    const plain = { readings: unhinted, words: [['"sec-ch-ua"', '"x-unhinted"']] } as const;
    expect(namedBesideAnother(CHROME_ON_WINDOWS, plain)).toEqual([]);
  });

  test.each(['Brave', 'Opera', 'Chromium', 'Google Chrome for Testing'])(
    'no finding: %s, which has its own brand',
    (brand) => {
      const words = [['Google Chrome', brand]] as const;
      expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: UNLICENSED, words })).toEqual([]);
    },
  );

  test.each([
    ['an extension denies all formats', { h264: NO, aac: NO, vp9: NO }],
    ['only one of the two formats is missing', { h264: NO, aac: YES, vp9: YES }],
    [
      'one of the two queries allows the format',
      { h264: { plays: '', streams: true }, aac: NO, vp9: YES },
    ],
  ])('no finding: %s', (_who, value) => {
    expect(namedBesideAnother(CHROME_ON_WINDOWS, { readings: { media: { value } } })).toEqual([]);
  });

  test('no finding: a phone', () => {
    expect(namedBesideAnother('chrome-android', { readings: UNLICENSED })).toEqual([]);
  });
});
