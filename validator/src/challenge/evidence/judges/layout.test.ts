import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { judge } from '../judge.ts';
import { USUAL } from '../../testing/answers.ts';
import { fixture } from '../../testing/challenged-visitor.ts';
import { automated, doubtful, HUMAN } from '../../testing/judged.ts';

/** Correct widths of a sheet, first for the current secret, then for an earlier one. */
const WIDTHS = [1000, 731.4, 96, 250];
const SHEETS = [WIDTHS, [1000, 40, 500, 1000]];

describe('an upload without a correct layout does not pass', () => {
  const person = fixture('human/firefox-headful.json');
  const { evidence, headers } = person;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const judged = (changed: Partial<Readings>) =>
    judge({ ...evidence, readings: { ...evidence.readings, ...changed } }, request, SHEETS, USUAL);
  const measured = (widths: number[], side = 1000) =>
    judged({ cascade: { value: { side, widths } } });

  test.each(['absent', 'failed', 'timeout'] as const)(
    'a missing layout (%s) is incomplete, and no finding',
    (unread) => {
      expect(judged({ cascade: { unread } })).toEqual({ kind: 'incomplete' });
    },
  );

  test('a document without layout (a hidden frame) is incomplete', () => {
    expect(measured([0, 0, 0, 0], 0)).toEqual({ kind: 'incomplete' });
  });

  test('layout_mismatch: the measurements of another sheet do not fit this one', () => {
    const mismatch = automated('layout_mismatch');
    expect(measured([1000, 96, 731.4, 250])).toEqual(mismatch);
    expect(measured(WIDTHS.slice(1))).toEqual(mismatch);
    for (const widths of SHEETS) expect(measured(widths)).toEqual(HUMAN);
  });

  test('layout_mismatch: one measurement that is wrong by five pixels rejects; layout_noise: by two is a doubt', () => {
    for (const at of WIDTHS.keys()) {
      const off = (by: number) =>
        measured(WIDTHS.map((px, index) => (index === at ? px + by : px)));
      expect(off(5)).toEqual(automated('layout_mismatch'));
      expect(off(-2)).toEqual(doubtful('layout_noise'));
    }
  });

  test.each([0.3, 0.8, 1.25, 5])(
    'the measurements of a document scaled by %d are correct',
    (by) => {
      const widths = WIDTHS.map((px) => px * by);
      expect(measured(widths, 1000 * by)).toEqual(HUMAN);
    },
  );

  test('the noise below one pixel that privacy extensions add is no finding', () => {
    const widths = WIDTHS.map((px, at) => px + (at % 2 === 0 ? 0.9 : -0.9));
    expect(measured(widths)).toEqual(HUMAN);
  });

  test('other findings count also when there is no layout', () => {
    const webdriver = { value: { reported: true, ownProperty: false, nativeGetter: true } };
    expect(judged({ webdriver, cascade: { unread: 'absent' } })).toEqual(automated('webdriver'));
  });
});
