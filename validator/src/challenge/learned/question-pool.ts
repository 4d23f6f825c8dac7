import { hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { escapeHtml } from '../../pages/escape-html.ts';
import { Draw } from '../cascade/draw.ts';
import { type Kind, KINDS } from './questions.ts';

/** The questions that are out at one time. */
const POOL = {
  declarations: 4,
  breaks: 2,
  table: 2,
  width: 2,
  properties: 2,
} as const satisfies Record<Kind, number>;

/** Every slot of the pool, in the order in which they change. */
const SLOTS = Object.entries(POOL).flatMap(([kind, slots]) =>
  Array.from({ length: slots }, (_, slot) => ({
    kind: kind as Kind, // Object.entries forgets the names.
    slot,
  })),
);

/** A question is in use for this long. One question of the pool changes every half hour, so most answers are known. */
const LIFE_MS = 6 * 60 * 60_000;

/** Questions that are held ready, of all secrets: those of now and of a life before. */
const MOST_HELD = 256;

/** How many questions one page is asked. */
export const QUESTIONS = 5;

export interface QuestionPool {
  /** For the page of a ticket that is issued now: its questions with a `~` between two. */
  readonly issue: (ticketId: string, issuedAt: number) => string;
  /** The same, escaped for an attribute. */
  readonly issueEscaped: (ticketId: string, issuedAt: number) => string;
  /** The questions of a ticket, in the order of their answers; undefined where `asked` is the hash of others. */
  readonly read: (
    ticketId: string,
    issuedAt: number,
    asked: number,
  ) => readonly string[] | undefined;
}

interface Question {
  readonly text: string;
  readonly escaped: string;
}

const textsOf = (questions: readonly Question[]) => questions.map(({ text }) => text);

/**
 * Draws questions that no code of Guard answers. A pool of twelve is out at one time, and a ticket asks five of them.
 * Many visitors are asked the same, and their answers can be compared. Which ones follows from the secret, the time
 * of the ticket and its id: all threads and instances agree, and an old ticket keeps its questions.
 */
export function createQuestionPool(secrets: readonly string[]): QuestionPool {
  const held = new LRUCache<string, Question>({ max: MOST_HELD });
  const drawers = secrets.map((secret, number) => {
    const key = new Uint8Array(hkdfSync('sha256', secret, '', 'guard/questions', 32));
    return ({ kind, slot }: (typeof SLOTS)[number], life: number): Question => {
      const name = `${number} ${kind} ${slot} ${life}`;
      const known = held.get(name);
      if (known !== undefined) return known;
      const text = KINDS[kind](new Draw(key, `${kind} ${slot} ${life}`));
      const drawn = { text, escaped: escapeHtml(text) };
      held.set(name, drawn);
      return drawn;
    };
  });
  const [signing] = drawers;
  if (!signing) throw new Error('questions need at least one secret');
  const listFor = (draw: typeof signing, ticketId: string, issuedAt: number) =>
    chosenBy(ticketId).map((chosen) => {
      const early = (SLOTS.indexOf(chosen) * LIFE_MS) / SLOTS.length;
      return draw(chosen, Math.floor((issuedAt + early) / LIFE_MS));
    });
  return {
    issue: (ticketId, issuedAt) => textsOf(listFor(signing, ticketId, issuedAt)).join('~'),
    issueEscaped: (ticketId, issuedAt) =>
      listFor(signing, ticketId, issuedAt)
        .map(({ escaped }) => escaped)
        .join('~'),
    read(ticketId, issuedAt, asked) {
      for (const draw of drawers) {
        const list = textsOf(listFor(draw, ticketId, issuedAt));
        if (hashOf(list.join('~')) === asked) return list;
      }
      return undefined;
    },
  };
}

/**
 * Two questions about declarations, and one each about breaks, a table, and either widths or properties. A short program
 * cannot compute the first kind or the table for a browser by a short program; the last kind is the easiest to write down.
 */
function chosenBy(ticketId: string) {
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
  const found = SLOTS.find((one) => one.kind === kind && one.slot === slot);
  if (!found) throw new Error(`the pool has no ${kind} ${slot}`);
  return found;
}
