import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LAYOUT_SIDE, layoutQuestions } from '../../../page-contract/layout-questions.ts';
import { LIMITS } from '../../../page-contract/limits.ts';
import { layoutAnswers } from './layout-answers.ts';

/** That engines agree with this arithmetic is shown by validator/browser/evidence.test.ts. */
describe('the layout questions of a ticket', () => {
  test('are the same for the same ticket, and others for another', () => {
    expect(layoutQuestions('one')).toEqual(layoutQuestions('one'));
    expect(layoutAnswers(layoutQuestions('one'))).not.toEqual(
      layoutAnswers(layoutQuestions('two')),
    );
  });

  test('fit into their square and the upload, and leave every branch open, whatever the ticket', () => {
    const seed = randomInt(2 ** 31);
    console.log(`layout questions seed ${seed}`);
    const sinks = new Set<boolean>();
    for (let round = 0; round < 5_000; round += 1) {
      const questions = layoutQuestions(`${seed} ${round}`);
      const answers = layoutAnswers(questions);
      expect(answers.length).toBeLessThanOrEqual(LIMITS.layoutAnswers);
      for (const answer of answers) {
        expect(answer, `seed ${seed} ${round}`).toBeGreaterThanOrEqual(0);
        expect(answer, `seed ${seed} ${round}`).toBeLessThanOrEqual(LAYOUT_SIDE);
      }
      expect(questions.grow.bases.reduce((a, b) => a + b)).toBeLessThan(questions.grow.width);
      const { widths, heights, width } = questions.float;
      const [one = 0, two = 0, three = 0] = widths;
      expect(one + two).toBeLessThanOrEqual(width);
      expect(one + two + three).toBeGreaterThan(width);
      sinks.add((heights[0] ?? 0) > (heights[1] ?? 0) && one + three <= width);
    }
    expect(sinks.size).toBe(2);
  });

  test('the answers of one ticket hardly ever fit another', () => {
    const one = layoutAnswers(layoutQuestions('ticket'));
    for (let round = 0; round < 5_000; round += 1) {
      const other = layoutAnswers(layoutQuestions(`ticket ${round}`));
      const near = one.filter((px, at) => Math.abs(px - (other[at] ?? 0)) <= 1.5).length;
      expect(near).toBeLessThan(one.length / 2);
    }
  });
});
