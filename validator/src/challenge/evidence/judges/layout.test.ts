import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { judge } from '../judge.ts';
import { USUAL } from '../../testing/answers.ts';
import { fixture } from '../../testing/challenged-visitor.ts';

/** Right widths of a sheet, and those of an earlier secret. */
const WIDTHS = [1000, 731.4, 96, 250];
const SHEETS = [WIDTHS, [1000, 40, 500, 1000]];

describe('a challenge that was not carried out is not passed', () => {
  const person = fixture('human/firefox-headful.json');
  const { evidence, headers } = person;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const judged = (changed: Partial<Readings>) =>
    judge({ ...evidence, readings: { ...evidence.readings, ...changed } }, request, SHEETS, USUAL);
  const measured = (widths: number[], side = 1000) =>
    judged({ cascade: { value: { side, widths } } });

  test.each(['absent', 'failed', 'timeout'] as const)(
    'a layout that is unread (%s) is incomplete, and no finding',
    (unread) => {
      expect(judged({ cascade: { unread } })).toEqual({ kind: 'incomplete' });
    },
  );

  test('a document in which nothing is laid out (a frame that is not displayed) is incomplete', () => {
    expect(measured([0, 0, 0, 0], 0)).toEqual({ kind: 'incomplete' });
  });

  test('layout_mismatch: the measurements of another sheet do not fit this one', () => {
    const mismatch = { kind: 'automated', reasons: ['layout_mismatch'] };
    expect(measured([1000, 96, 731.4, 250])).toEqual(mismatch);
    expect(measured(WIDTHS.slice(1))).toEqual(mismatch);
    for (const widths of SHEETS) expect(measured(widths)).toEqual({ kind: 'human' });
  });

  test('layout_mismatch: no single measurement may be off by five pixels, and by two it is a doubt', () => {
    for (const at of WIDTHS.keys()) {
      const off = (by: number) =>
        measured(WIDTHS.map((px, index) => (index === at ? px + by : px)));
      expect(off(5)).toEqual({ kind: 'automated', reasons: ['layout_mismatch'] });
      expect(off(-2)).toEqual({ kind: 'doubtful', reasons: ['layout_noise'] });
    }
  });

  test.each([0.3, 0.8, 1.25, 5])(
    'a document that is scaled as a whole by %d measures right',
    (by) => {
      const widths = WIDTHS.map((px) => px * by);
      expect(measured(widths, 1000 * by)).toEqual({ kind: 'human' });
    },
  );

  test('noise below a pixel, which privacy extensions add, is no finding', () => {
    const widths = WIDTHS.map((px, at) => px + (at % 2 === 0 ? 0.9 : -0.9));
    expect(measured(widths)).toEqual({ kind: 'human' });
  });

  test('what speaks against a person is named also when nothing was laid out', () => {
    const webdriver = { value: { reported: true, ownProperty: false, nativeGetter: true } };
    expect(judged({ webdriver, cascade: { unread: 'absent' } })).toEqual({
      kind: 'automated',
      reasons: ['webdriver'],
    });
  });
});
