import { expect, test } from 'vitest';
import { rounds, seededRandom, type SeededRandom } from '../../../test/kit/seeded-random.ts';
import { type GeneratedAnswer, generateAnswer } from '../testing/generated-answer.ts';
import {
  type ClientRequest,
  type ReceivedAnswer,
  askAndWait,
  PartedBody,
  startScripted,
} from '../testing/origin-client.ts';
import { openClient } from '../testing/http1-rig.ts';
import { UndiciOrigin } from '../testing/undici-origin.ts';

const EXCHANGES = rounds(2_000, 100_000);
const SIDE_BY_SIDE = 16;

/** What our client refuses and undici accepts. The key is the text of our refusal, and the value is the reason. */
const STRICTER: Readonly<Record<string, string>> = {
  'Transfer-Encoding not supported':
    'RFC 9112 6.1: a coded body would be passed on as if it were decoded; readers disagree about `xchunked`',
  'Transfer-Encoding in an answer of HTTP/1.0': 'RFC 9112 6.1: faulty framing, to be closed',
  'no status line of HTTP/1.1':
    'RFC 9112 4: bytes before it belong to another message; controls in the reason would be passed on',
  'line that does not end in CR LF': 'RFC 9112 2.2: here a bare LF does not end a line',
  'Transfer-Encoding and Content-Length in one answer': 'RFC 9112 6.3: an error, perhaps an attack',
  'framing in a trailer section':
    'RFC 9110 6.5.1: it has no meaning there, but some servers merge trailers into the header section',
  'Content-Length is no number': 'RFC 9112 6.3',
  'two Content-Lengths': 'RFC 9112 6.3',
};

/** What our client accepts and undici refuses, and why our client is right. */
const MILDER: readonly ListedDifference[] = [
  {
    why: 'RFC 9110 8.6: equal lengths may be read as one',
    applies: (_ours, _undici, answerText) => /content-length[^]*content-length|content-length: *\d+ *,/i.test(answerText),
  },
  {
    why: 'RFC 9110 15.2: any number of 1xx, expected or not; undici ends at a 100 that it did not ask for',
    applies: ({ interim }) => interim.some(({ status }) => status === 100),
  },
  {
    why: 'RFC 9110 5.5: white space after a value is not part of it; undici reads another length',
    applies: (_ours, _undici, answerText) => /content-length:[ \t]*\d+[ \t]+\r\n/i.test(answerText),
  },
  {
    why: 'RFC 9112 7.1.1: the text of a chunk extension is ignored; it is bounded, and ends with its line',
    applies: (_ours, undici) => undici.error?.detail.includes('chunk extensions') === true,
  },
]; // prettier-ignore

/** What both clients accept but read differently, and why our reading is right. */
const READ_DIFFERENTLY: readonly ListedDifference[] = [
  {
    why: 'RFC 9110 5.5: white space after a value is not part of it; undici reads `chunked` and a tab as another coding, and passes on the chunks undecoded',
    applies: (ours, undici, answerText) =>
      /transfer-encoding:[ \t]*chunked[ \t]*\t[ \t]*\r\n/i.test(answerText) &&
      ours.status === undici.status,
  },
];

interface ListedDifference {
  readonly why: string;
  readonly applies: (ours: ReceivedAnswer, undici: ReceivedAnswer, answerText: string) => boolean;
}

interface Exchange {
  readonly request: () => ClientRequest;
  readonly answer: GeneratedAnswer;
  readonly pieces: readonly Buffer[];
  /** The requests that the origin got. */
  readonly requestTexts: string[];
}

test(`${EXCHANGES} exchanges end the same over our client and over undici, except for the listed differences`, async () => {
  const { seed } = seededRandom();
  console.log(`origin differential fuzz: GUARD_TEST_SEED=${seed}`);
  const exchanges = new Map<string, Exchange>();
  const { url } = await startScripted((requestText) => {
    const exchange = exchanges.get(/^\S+ \/(\d+) /.exec(requestText)?.[1] ?? '');
    if (exchange === undefined || !isWhole(requestText)) return undefined;
    exchange.requestTexts.push(meaningOf(requestText));
    return { pieces: exchange.pieces, ending: exchange.answer.keepsConnection ? 'keep' : 'end' };
  });
  const openBoth = () => ({ ours: openClient(url), undici: openClient(url, {}, UndiciOrigin) });
  // More bytes of a damaged answer can come later, so its connection is not used again.
  const clients = { kept: openBoth(), once: openBoth() };
  const counts = { same: 0, failed: 0, stricter: 0, milder: 0, otherwise: 0 };
  let nextAnswer = 0;

  async function drive(): Promise<void> {
    while (nextAnswer < EXCHANGES) {
      const id = String(nextAnswer++);
      // An exchange depends only on its number, and not on the order in which the drivers run.
      const exchange = generateExchange(seededRandom(seed + 7919 * Number(id)), id);
      exchanges.set(id, exchange);
      const { ours, undici } = exchange.answer.keepsConnection ? clients.kept : clients.once;
      const lane = exchange.answer.keepsConnection ? undefined : 'retry';
      const [ourAnswer, undiciAnswer] = await Promise.all([
        askAndWait(ours, exchange.request(), lane),
        askAndWait(undici, exchange.request(), lane),
      ]);
      exchanges.delete(id);
      const clue = `GUARD_TEST_SEED=${seed}, exchange ${id}: ${exchange.answer.damage}\n${JSON.stringify(exchange.answer.bytes.toString('latin1').slice(0, 1_500))}`;
      expect(
        new Set(exchange.requestTexts).size,
        `${clue}\n${exchange.requestTexts.join('\n---\n')}`,
      ).toBe(1);
      counts[compareAnswers(ourAnswer, undiciAnswer, exchange.answer, clue)]++;
    }
  }

  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, drive));
  console.log(`origin differential fuzz: ${JSON.stringify(counts)}`);
  expect(counts.same).toBeGreaterThan(EXCHANGES / 2);
  expect(counts.failed).toBeGreaterThan(EXCHANGES / 10);
  expect(counts.same + counts.failed + counts.stricter + counts.milder + counts.otherwise).toBe(
    EXCHANGES,
  );
}, 1_800_000);

function generateExchange(random: SeededRandom, id: string): Exchange {
  const method = random.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'DELETE', 'PUT']);
  const parts = Array.from({ length: random.below(4) }, () =>
    Buffer.alloc(1 + random.below(500), 'b'),
  );
  const kind = method === 'POST' || method === 'PUT' ? random.pick(['sized', 'chunked', 'none']) : 'none'; // prettier-ignore
  const total = Buffer.concat(parts).length;
  const fields = ['Host', 'shop.example', 'X-Id', id, 'x-id', 'again'];
  if (kind === 'sized') fields.splice(2, 0, 'Content-Length', String(total));
  const bodyOf = () => {
    if (kind === 'none') return undefined;
    return kind === 'sized' ? new PartedBody(parts) : PartedBody.chunked(parts);
  };
  // Content-Length is the second field, and it is one of the visitor's fields.
  const visitorFieldCount = 2 + random.below(fields.length / 2 - 1);
  const answer = generateAnswer(random, method);
  return {
    request: () => ({
      method,
      target: `/${id}`,
      fields,
      visitorFieldCount,
      body: bodyOf(),
    }),
    answer,
    pieces: cutIntoParts(random, answer.bytes),
    requestTexts: [],
  };
}

/** The bytes in a few pieces, cut mostly in the header section. */
function cutIntoParts(random: SeededRandom, bytes: Buffer): Buffer[] {
  const marks = Array.from({ length: random.below(4) }, () =>
    random.below(random.below(2) === 0 ? Math.min(bytes.length, 200) + 1 : bytes.length + 1),
  );
  const ends = [...marks, bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Whether the text is a complete request with its whole body. */
function isWhole(requestText: string): boolean {
  const head = requestText.indexOf('\r\n\r\n');
  if (head === -1) return false;
  if (/^transfer-encoding: chunked\r$/im.test(requestText.slice(0, head + 2))) {
    return (
      requestText.endsWith('\r\n0\r\n\r\n') || requestText.slice(head).endsWith('\r\n\r\n0\r\n\r\n')
    );
  }
  const length = Number(
    /^content-length: (\d+)\r$/im.exec(requestText.slice(0, head + 2))?.[1] ?? 0,
  );
  return requestText.length >= head + 4 + length;
}

/**
 * A request without the parts that each client writes in its own way: framing, Connection, and the position of Host.
 */
function meaningOf(requestText: string): string {
  const end = requestText.indexOf('\r\n\r\n');
  const lines = requestText.slice(0, end).split('\r\n');
  const ownFields = /^(?:host|connection|content-length|transfer-encoding):/i;
  const isChunked = lines.some((line) => /^transfer-encoding: chunked$/i.test(line));
  const body = requestText.slice(end + 4);
  const content = isChunked ? body.replace(/[0-9a-f]+\r\n(b*)\r\n/g, '$1') : body;
  return [...lines.filter((line) => !ownFields.test(line)), content].join('\n');
}

function compareAnswers(
  ours: ReceivedAnswer,
  undici: ReceivedAnswer,
  answer: GeneratedAnswer,
  clue: string,
): 'same' | 'failed' | 'stricter' | 'milder' | 'otherwise' {
  const answerText = answer.bytes.toString('latin1');
  if (ours.error === undefined && undici.error === undefined) {
    if (READ_DIFFERENTLY.some(({ applies }) => applies(ours, undici, answerText)))
      return 'otherwise';
    expect(comparablePart(ours), clue).toEqual(comparablePart(undici));
    expect(ascii(ours.reason).endsWith(ascii(undici.reason)), `${clue}\n${undici.reason}`).toBe(
      true,
    );
    return 'same';
  }
  if (ours.error !== undefined && undici.error !== undefined) return 'failed';
  const details = `${clue}\nours: ${JSON.stringify(ours.error)}\nundici: ${JSON.stringify(undici.error)}`;
  if (ours.error !== undefined) {
    expect(Object.keys(STRICTER), details).toContain(ours.error.detail);
    return 'stricter';
  }
  const reasons = MILDER.filter(({ applies }) => applies(ours, undici, answerText));
  expect(reasons, details).not.toEqual([]);
  return 'milder';
}

/** The parts of an answer that must be the same for both clients. */
function comparablePart({ status, fields, body, trailers, interim }: ReceivedAnswer) {
  return {
    status,
    fields: trimValues(fields),
    body: body.toString('latin1'),
    trailers: trimValues(trailers),
    interim: interim.map((one) => ({ status: one.status, fields: trimValues(one.fields) })),
  };
}

/** undici reads a reason phrase as UTF-8. When a phrase comes in two parts, undici keeps only the second part. */
function ascii(reason: string): string {
  return reason.replace(/[^\x20-\x7e]+/g, '?');
}

/** RFC 9112 section 5.1: white space after a value is not part of it. undici keeps it. */
function trimValues(fields: readonly string[]): string[] {
  return fields.map((field) => field.replace(/[ \t]+$/, ''));
}
