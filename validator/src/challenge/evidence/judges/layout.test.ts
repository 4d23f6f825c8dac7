import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { judge } from '../judge.ts';
import { DEFAULT_STRENGTHS } from '../../testing/answers.ts';
import { readFixture } from '../../testing/challenged-visitor.ts';
import { automated, doubtful, HUMAN } from '../../testing/judge-recordings.ts';

/** Correct widths of a sheet with the current secret. SHEETS also has the widths with an earlier secret. */
const WIDTHS = [1000, 731.4, 96, 250];
const SHEETS = [WIDTHS, [1000, 40, 500, 1000]];

describe('the layout that an upload measured', () => {
  const person = readFixture('human/firefox-headful.json');
  const { evidence, headers } = person;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const judgeReadings = (changed: Partial<Readings>) =>
    judge(
      { ...evidence, readings: { ...evidence.readings, ...changed } },
      request,
      SHEETS,
      DEFAULT_STRENGTHS,
    );
  const judgeWidths = (widths: number[], side = 1000) =>
    judgeReadings({ cascade: { value: { side, widths } } });

  test.each(['absent', 'failed', 'timeout'] as const)(
    'a missing layout (%s) is incomplete, and no finding',
    (unread) => {
      expect(judgeReadings({ cascade: { unread } })).toEqual({ kind: 'incomplete' });
    },
  );

  test('a document without layout (a hidden frame) is incomplete', () => {
    expect(judgeWidths([0, 0, 0, 0], 0)).toEqual({ kind: 'incomplete' });
  });

  test('layout_mismatch: the measurements of another sheet do not fit this one', () => {
    const mismatch = automated('layout_mismatch');
    expect(judgeWidths([1000, 96, 731.4, 250])).toEqual(mismatch);
    expect(judgeWidths(WIDTHS.slice(1))).toEqual(mismatch);
    for (const widths of SHEETS) expect(judgeWidths(widths)).toEqual(HUMAN);
  });

  test('a measurement that is wrong by five pixels is a layout_mismatch, and one that is wrong by two pixels is a layout_noise', () => {
    for (const at of WIDTHS.keys()) {
      const judgeShiftedBy = (pixels: number) =>
        judgeWidths(WIDTHS.map((px, index) => (index === at ? px + pixels : px)));
      expect(judgeShiftedBy(5)).toEqual(automated('layout_mismatch'));
      expect(judgeShiftedBy(-2)).toEqual(doubtful('layout_noise'));
    }
  });

  test.each([0.3, 0.8, 1.25, 5])(
    'the measurements of a document scaled by %d are correct',
    (by) => {
      const widths = WIDTHS.map((px) => px * by);
      expect(judgeWidths(widths, 1000 * by)).toEqual(HUMAN);
    },
  );

  test('the noise below one pixel that privacy extensions add is no finding', () => {
    const widths = WIDTHS.map((px, at) => px + (at % 2 === 0 ? 0.9 : -0.9));
    expect(judgeWidths(widths)).toEqual(HUMAN);
  });

  test('other findings still reject when there is no layout', () => {
    const webdriver = { value: { reported: true, ownProperty: false, nativeGetter: true } };
    expect(judgeReadings({ webdriver, cascade: { unread: 'absent' } })).toEqual(
      automated('webdriver'),
    );
  });
});
