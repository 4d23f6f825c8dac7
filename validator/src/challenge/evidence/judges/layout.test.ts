import { describe, expect, test } from 'vitest';
import type { Readings } from '../../../../page-contract/evidence.ts';
import { judge } from '../judge.ts';
import { answering, NO_SHEET, USUAL } from '../../test-answers.ts';
import { fixture } from '../../test-challenge.ts';

const TICKET = 'the ticket of these tests';

describe('a challenge that was not carried out is not passed', () => {
  const person = fixture('human/firefox-headful.json');
  const { headers } = person;
  const request = { userAgent: headers['user-agent'] ?? '', headers, country: '', found: [] };
  const measured = (layout: Readings['layout']) =>
    judge(
      {
        ticket: TICKET,
        evidence: { ...person.evidence, readings: { ...person.evidence.readings, layout } },
      },
      request,
      NO_SHEET,
      USUAL,
    );
  const { layout: right } = answering(person.evidence, TICKET).readings;

  test.each(['absent', 'failed', 'timeout'] as const)(
    'a layout that is unread (%s) is incomplete, and no finding',
    (unread) => {
      expect(measured({ unread })).toEqual({ kind: 'incomplete' });
    },
  );

  test('a document in which nothing is laid out (a frame that is not displayed) is incomplete', () => {
    expect(measured({ value: { side: 0, answers: Array<number>(29).fill(0) } })).toEqual({
      kind: 'incomplete',
    });
  });

  test('layout_mismatch: the measurements of another ticket do not fit this one', () => {
    const { layout } = answering(person.evidence, 'another ticket').readings;
    expect(measured(layout)).toEqual({ kind: 'automated', reasons: ['layout_mismatch'] });
  });

  test('layout_mismatch: no single measurement may be missing or off by five pixels, and by two it is a doubt', () => {
    if (!('value' in right)) throw new Error('the test answers all');
    const { side, answers } = right.value;
    for (const at of answers.keys()) {
      const off = (by: number) => answers.map((px, index) => (index === at ? px + by : px));
      const judged = (by: number) => measured({ value: { side, answers: off(by) } });
      expect(judged(5)).toEqual({ kind: 'automated', reasons: ['layout_mismatch'] });
      expect(judged(-2)).toEqual({ kind: 'doubtful', reasons: ['layout_noise'] });
    }
    expect(measured({ value: { side, answers: answers.slice(1) } })).toMatchObject({
      kind: 'automated',
    });
  });

  test.each([0.3, 0.8, 1.25, 5])(
    'a document that is scaled as a whole by %d measures right',
    (by) => {
      if (!('value' in right)) throw new Error('the test answers all');
      const answers = right.value.answers.map((px) => px * by);
      expect(measured({ value: { side: 1000 * by, answers } })).toEqual({ kind: 'human' });
    },
  );

  test('noise below a pixel, which privacy extensions add, is no finding', () => {
    if (!('value' in right)) throw new Error('the test answers all');
    const answers = right.value.answers.map((px, at) => px + (at % 2 === 0 ? 0.9 : -0.9));
    expect(measured({ value: { side: 1000, answers } })).toEqual({ kind: 'human' });
  });

  test('what speaks against a person is named also when nothing was laid out', () => {
    const webdriver = { value: { reported: true, ownProperty: false, nativeGetter: true } };
    const { evidence } = person;
    const readings = { ...evidence.readings, webdriver };
    expect(
      judge({ ticket: TICKET, evidence: { ...evidence, readings } }, request, NO_SHEET, USUAL),
    ).toEqual({
      kind: 'automated',
      reasons: ['webdriver'],
    });
  });
});
