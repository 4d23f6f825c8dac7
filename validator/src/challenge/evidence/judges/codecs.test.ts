import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgePerson,
  reasonsBesideListener,
  UNLICENSED,
} from '../../testing/judge-recordings.ts';

const YES = { plays: 'probably', streams: true };
const NO = { plays: '', streams: false };

describe('codecs_mismatch: Chrome or Edge without licensed formats', () => {
  const BOTH_REASONS = ['debugger_attached', 'codecs_mismatch'];

  test('is a weak finding, which does not change the judgement by itself', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toMatchObject(HUMAN);
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings: UNLICENSED })).toEqual(
      BOTH_REASONS,
    );
  });

  test('the brand identifies Edge, and on plain http there are no brands and no finding', () => {
    const wordsOfEdge = [['Google Chrome', 'Microsoft Edge']] as const;
    expect(
      reasonsBesideListener(CHROME_ON_WINDOWS, { readings: UNLICENSED, words: wordsOfEdge }),
    ).toEqual(BOTH_REASONS);
    const readingsWithoutHints = { ...UNLICENSED, hints: { unread: 'absent' } } as const;
    const changesOfPlainHttp = {
      readings: readingsWithoutHints,
      words: [['"sec-ch-ua"', '"x-unhinted"']],
    } as const;
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, changesOfPlainHttp)).toEqual([]);
  });

  test.each(['Brave', 'Opera', 'Chromium', 'Google Chrome for Testing'])(
    'no finding: %s, which has its own brand',
    (brand) => {
      const words = [['Google Chrome', brand]] as const;
      expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings: UNLICENSED, words })).toEqual([]);
    },
  );

  test.each([
    ['an extension denies all formats', { h264: NO, aac: NO, vp9: NO }],
    ['only one of the two formats is missing', { h264: NO, aac: YES, vp9: YES }],
    [
      'one of the two functions accepts the format',
      { h264: { plays: '', streams: true }, aac: NO, vp9: YES },
    ],
  ])('no finding: %s', (_who, value) => {
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings: { media: { value } } })).toEqual(
      [],
    );
  });

  test('no finding: a phone', () => {
    expect(reasonsBesideListener('chrome-android', { readings: UNLICENSED })).toEqual([]);
  });
});
