import { entryOf, FINDINGS, type Reason } from '@guard/config/contract/reasons';
import { describe, expect, test } from 'vitest';
import { weigh } from '../../../verdict/weigh.ts';
import { DEFAULT_STRENGTHS } from '../../testing/answers.ts';
import {
  CHROME_ON_WINDOWS,
  HUMAN,
  judgePerson,
  reasonsBesideListener,
  UNLICENSED,
} from '../../testing/judge-recordings.ts';

const IDLE_PAGE = { visible: true, frameMs: null, ticks: 100, watchedMs: 500 };
const painting = (change: object = {}) => ({ painting: { value: { ...IDLE_PAGE, ...change } } });

describe('page_not_painted: the page was visible and idle, but no frame was drawn', () => {
  test('is a note, and does not change the judgement, either by itself or with one weak finding', () => {
    expect(judgePerson(CHROME_ON_WINDOWS, { readings: painting() })).toMatchObject(HUMAN);
    expect(reasonsBesideListener(CHROME_ON_WINDOWS, { readings: painting() })).toEqual([]);
  });

  const reasonsWhenOthersDecide = (change: object) =>
    reasonsBesideListener(CHROME_ON_WINDOWS, { readings: { ...painting(change), ...UNLICENSED } });

  test('is also recorded when two other findings decide', () => {
    expect(reasonsWhenOthersDecide({})).toEqual([
      'debugger_attached',
      'page_not_painted',
      'codecs_mismatch',
    ]);
  });

  test.each([
    ['a background tab', { visible: false }],
    ['a busy, slow phone, whose timers hardly run', { ticks: 49 }],
    ['a check that ended early', { watchedMs: 399 }],
    ['a frame that came late', { frameMs: 499 }],
  ])('no finding: %s', (_who, change) => {
    expect(reasonsWhenOthersDecide(change)).toEqual(['debugger_attached', 'codecs_mismatch']);
  });

  test('page_not_painted and time_zone_elsewhere do not change the judgement of a weak finding', () => {
    const notes: readonly Reason[] = ['page_not_painted', 'time_zone_elsewhere'];
    const weak = FINDINGS.filter((name) => entryOf(name).strength === 'weak');
    expect(weak).toContain('language_mismatch');
    for (const name of weak)
      expect(weigh([name, ...notes], false, DEFAULT_STRENGTHS), name).toBe('clean');
  });
});
