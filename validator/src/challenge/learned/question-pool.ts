import { LRUCache } from 'lru-cache';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { escapeHtml } from '../../pages/escape-html.ts';
import { Draw } from '../cascade/draw.ts';
import { deriveKey } from '../../session/sealer.ts';
import { type Kind, KINDS } from './questions.ts';

/** The number of questions of each kind in use at one time. */
const POOL = {
  declarations: 4,
  breaks: 2,
  table: 2,
  width: 2,
  properties: 2,
} as const satisfies Record<Kind, number>;

/** All slots of the pool, in the order in which they change. */
const SLOTS = Object.entries(POOL).flatMap(([kind, slots]) =>
  Array.from({ length: slots }, (_, slot) => ({
    kind: kind as Kind, // The type of Object.entries has string keys.
    slot,
  })),
);

/**
 * The lifetime of a question. Guard replaces one question of the pool every half hour, so the answers to most questions
 * are known at any time.
 */
const LIFE_MS = 6 * 60 * 60_000;

/**
 * Maximum number of questions in the cache. It is enough for all secrets, with the current questions and those of the
 * previous lifetime.
 */
const MAX_CACHED = 256;

/** Number of questions for one page. */
export const QUESTIONS = 5;

interface QuestionPool {
  /** The questions for the page of a new ticket, separated by `~`. */
  readonly issue: (ticketId: string, issuedAt: number) => string;
  /** These questions, escaped for an attribute. */
  readonly issueEscaped: (ticketId: string, issuedAt: number) => string;
  /**
   * The questions of a ticket in the order of their answers. Undefined when `questionsHash` is the hash of other
   * questions.
   */
  readonly read: (
    ticketId: string,
    issuedAt: number,
    questionsHash: number,
  ) => readonly string[] | undefined;
}

interface Question {
  readonly text: string;
  readonly escaped: string;
}

const textsOf = (questions: readonly Question[]) => questions.map(({ text }) => text);

/**
 * Draws questions that no code of Guard can answer. Twelve questions are in use at one time, and each ticket gets five
 * of them. Many visitors get the same questions, so Guard can compare their answers. The secret, the ticket's time and
 * the ticket's id decide which questions a ticket gets. So all threads and instances draw the same questions, and a
 * ticket keeps its questions.
 */
export function createQuestionPool(secrets: readonly string[]): QuestionPool {
  const cache = new LRUCache<string, Question>({ max: MAX_CACHED });
  const drawers = secrets.map((secret, number) => {
    const key = deriveKey(secret, 'questions');
    return ({ kind, slot }: (typeof SLOTS)[number], life: number): Question => {
      const name = `${number} ${kind} ${slot} ${life}`;
      const cachedQuestion = cache.get(name);
      if (cachedQuestion !== undefined) return cachedQuestion;
      const text = KINDS[kind](new Draw(key, `${kind} ${slot} ${life}`));
      const question = { text, escaped: escapeHtml(text) };
      cache.set(name, question);
      return question;
    };
  });
  const [drawSigned] = drawers;
  if (!drawSigned) throw new Error('questions need at least one secret');
  const questionsFor = (draw: typeof drawSigned, ticketId: string, issuedAt: number) =>
    slotsFor(ticketId).map((slot) => {
      const shiftMs = (SLOTS.indexOf(slot) * LIFE_MS) / SLOTS.length;
      return draw(slot, Math.floor((issuedAt + shiftMs) / LIFE_MS));
    });
  return {
    issue: (ticketId, issuedAt) => textsOf(questionsFor(drawSigned, ticketId, issuedAt)).join('~'),
    issueEscaped: (ticketId, issuedAt) =>
      questionsFor(drawSigned, ticketId, issuedAt)
        .map(({ escaped }) => escaped)
        .join('~'),
    read(ticketId, issuedAt, questionsHash) {
      for (const draw of drawers) {
        const list = textsOf(questionsFor(draw, ticketId, issuedAt));
        if (hashOf(list.join('~')) === questionsHash) return list;
      }
      return undefined;
    },
  };
}

/**
 * Each page gets two questions about declarations, one about line breaks, one about a table, and one about widths or
 * properties. Only a large program could serialise declarations or lay out tables as a browser does.
 */
function slotsFor(ticketId: string) {
  const [one = 0, two = 0, three = 0, four = 0, five = 0] = Buffer.from(ticketId, 'base64url');
  const first = one % POOL.declarations;
  const second = (first + 1 + (two % (POOL.declarations - 1))) % POOL.declarations;
  return [
    slotOf('declarations', first),
    slotOf('declarations', second),
    slotOf('breaks', three % POOL.breaks),
    slotOf('table', four % POOL.table),
    slotOf(five & 1 ? 'width' : 'properties', (five >> 1) % POOL.width),
  ];
}

function slotOf(kind: Kind, slot: number) {
  const knownSlot = SLOTS.find((candidate) => candidate.kind === kind && candidate.slot === slot);
  if (!knownSlot) throw new Error(`the pool has no ${kind} ${slot}`);
  return knownSlot;
}
