import { beforeEach, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/kit/seeded-random.ts';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { createQuestionPool, QUESTIONS } from './question-pool.ts';
import { createTicketIds } from './testing/ticket-ids.ts';

const SECRETS = ['the secret of these tests'];
const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

const pool = createQuestionPool(SECRETS);
const { next: newTicketId, restart } = createTicketIds();
beforeEach(restart);

describe('17.3 questions that are learned: the pool', () => {
  test('threads and instances draw the same questions, and a ticket keeps its questions', () => {
    const otherPool = createQuestionPool(SECRETS);
    for (let round = rounds(300, 100); round > 0; round--) {
      const id = newTicketId();
      const text = otherPool.issue(id, NOW_MS);
      expect(pool.read(id, NOW_MS, hashOf(text))).toEqual(text.split('~'));
      expect(new Set(text.split('~')).size).toBe(QUESTIONS);
    }
  });

  test('twelve questions are in use: one is replaced each half hour, and all within six hours', () => {
    const questionsAt = (atMs: number) => {
      const ids = Array.from({ length: 400 }, newTicketId);
      return new Set(ids.flatMap((id) => pool.issue(id, atMs).split('~')));
    };
    const questionsNow = questionsAt(NOW_MS);
    expect(questionsNow.size).toBe(12);
    const questionsLater = questionsAt(NOW_MS + HOUR_MS / 2);
    expect([...questionsLater].filter((question) => questionsNow.has(question))).toHaveLength(11);
    const questionsAfterSixHours = questionsAt(NOW_MS + 6 * HOUR_MS);
    expect([...questionsAfterSixHours].filter((question) => questionsNow.has(question))).toEqual(
      [],
    );
  });

  test('the pool reads a ticket of the previous secret, but no ticket of another secret', () => {
    const rotated = createQuestionPool(['a new secret', ...SECRETS]);
    const id = newTicketId();
    const hashOfQuestions = hashOf(pool.issue(id, NOW_MS));
    expect(rotated.read(id, NOW_MS, hashOfQuestions)).toBeDefined();
    expect(createQuestionPool(['a new secret']).read(id, NOW_MS, hashOfQuestions)).toBeUndefined();
  });

  test('the questions of a page are short, and fit into an attribute', () => {
    for (let round = rounds(2_000, 500); round > 0; round--) {
      const text = pool.issue(newTicketId(), NOW_MS + round * HOUR_MS);
      expect(text.length).toBeLessThan(900);
      expect(text.split('~')).toHaveLength(QUESTIONS);
      expect(text).not.toMatch(/[\n<]|url\(/);
    }
  });
});
