import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { readCorpus, statementsOf } from '../testing/corpus.ts';
import { dressStatement } from '../testing/dress-statement.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { until } from '../testing/until.ts';
import { FILE_CANARY, openWalledEngine } from '../testing/walled-engine.ts';
import type { WalledEngine } from '../testing/walled-engine.ts';

const CANARY = 'canary-of-the-rival-4471';
const BASE = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const ROUNDS = rounds(150, 4000);
const LONG = { timeout: 600_000 };

const HELD_STATEMENTS = readCorpus('held.txt');
/** The answer to each statement of HELD_STATEMENTS before the organisation `rival` had rows. */
const answersAlone = new Map<string, string>();
let engine: WalledEngine;

function fillTemplate(statement: string): string {
  return statement.replaceAll('FILE', engine.secretFile).replaceAll('CANARY', CANARY);
}

/** The answer to a statement, without the names of temporary sets. These names differ between runs. */
async function answerOf(statement: string): Promise<string> {
  const { kind, text } = await engine.query('acme', fillTemplate(statement));
  return `${kind}: ${text.replaceAll(/__set_\d+_\d+/g, '__set')}`;
}

/** Records forty rows of the rival, with other days, other times and larger numbers than the rows of acme. */
function recordRival(): void {
  for (let index = 0; index < 40; index += 1) {
    engine.analytics.sink.record(
      sampleEvent({
        organisation: 'rival',
        createdAt: BASE + (index - 20) * DAY_MS,
        site: CANARY,
        path: `/${CANARY}`,
        rule: CANARY,
        statusCode: 599,
        durationUs: 4_000_000,
        headers: { 'x-note': CANARY },
        blockReasons: [CANARY],
      }),
    );
  }
}

async function settle(organisation: string, rows: number): Promise<void> {
  await until(`${rows} rows of ${organisation}`, async () => {
    const { text } = await engine.query(organisation, 'SELECT count() FROM events');
    return text === `${rows}\n`;
  });
}

beforeAll(async () => {
  engine = await openWalledEngine();
  for (let index = 0; index < 20; index += 1) {
    engine.analytics.sink.record(sampleEvent({ createdAt: BASE + index }));
  }
  await settle('acme', 20);
  for (const statement of statementsOf(HELD_STATEMENTS))
    answersAlone.set(statement, await answerOf(statement));
  recordRival();
  await settle('rival', 40);
});
afterAll(() => engine.close());

describe('a statement reveals nothing about another organisation (contract 4.3, 5)', () => {
  test.each(HELD_STATEMENTS)(
    'the answer does not change when another organisation gets rows: $tries',
    async (attempt) => {
      for (const statement of attempt.statements) {
        const answer = await answerOf(statement);
        expect(answer, statement).toBe(answersAlone.get(statement));
        expect(answer.replaceAll(fillTemplate(statement), ''), statement).not.toContain(
          `/${CANARY}`,
        );
      }
    },
  );

  test('most of these statements are answered with rows', () => {
    const answers = [...answersAlone.values()];
    expect(answers.filter((answer) => answer.startsWith('refused'))).toEqual([]);
    const answeredCount = answers.filter((answer) => answer.startsWith('rows'));
    expect(answeredCount.length).toBeGreaterThan(answers.length / 2);
  });

  test('disguised variants never return a canary (seeded)', LONG, async () => {
    const random = seededRandom();
    const statements = statementsOf(HELD_STATEMENTS);
    let answeredCount = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first = '', ...rest] = statements;
      const sql = dressStatement(fillTemplate(random.pick([first, ...rest])), random);
      const { kind, text } = await engine.query('acme', sql);
      if (kind === 'rows') answeredCount += 1;
      expect(withoutItself(text, sql), `seed ${random.seed}: ${sql}`).not.toContain(`/${CANARY}`);
      expect(text, `seed ${random.seed}: ${sql}`).not.toContain(FILE_CANARY);
    }
    expect(answeredCount).toBeGreaterThan(0);
  });

  test.each(readCorpus('hostile/*.txt'))(
    'the account reveals nothing without the gate: $tries',
    async ({ statements }) => {
      for (const statement of statements) {
        const text = await engine.asAccount('acme', fillTemplate(statement));
        expect(withoutItself(text, fillTemplate(statement)), statement).not.toContain(CANARY);
      }
    },
  );

  test.each([
    'intDiv(1000, toInt32(toDate(created_at)) - 20778) != 0',
    'length(range((toInt32(toDate(created_at)) = 20778) * 400000000)) < 5',
    "formatQuery(repeat('SELECT 1', toDate(created_at) != toDate(20778))) != 'y'",
  ])(
    'the database runs no function on the day of a part with rows of another organisation: %s',
    async (condition) => {
      const sql = `SELECT count() FROM events WHERE ${condition}`;
      expect(await engine.asAccount('acme', sql)).toBe('20\n');
    },
  );

  test('all rows of the other organisation still exist afterwards', async () => {
    await settle('rival', 40);
  });
});

describe('the walls do not hinder an analyst (contract 4.3)', () => {
  test.each(readCorpus('useful/*.txt'))(
    'a useful statement is answered: $tries',
    async ({ statements }) => {
      for (const statement of statements) {
        const { kind, text } = await engine.query('acme', statement);
        expect({ kind, why: kind === 'rows' ? '' : text }, statement).toEqual({
          kind: 'rows',
          why: '',
        });
        expect(text, statement).not.toContain(CANARY);
      }
    },
  );
});

/** acme's rows have times from 12:00:00.000 to 12:00:00.019 in UTC. */
test.each([
  [
    'another column with the name created_at, in another time zone',
    "SELECT count() FROM (SELECT toTimeZone(created_at, 'Asia/Tokyo') AS created_at FROM events_distributed) WHERE created_at >= '2026-11-20T12:00:00.010Z'",
    10,
  ],
  [
    'a text column with the name created_at',
    "SELECT count() FROM (SELECT formatDateTime(created_at, '%Y-%m-%dT%H:%i:%SZ') AS created_at FROM events_distributed) WHERE created_at = '2026-11-20T12:00:00Z'",
    20,
  ],
  [
    'a statement with another time zone',
    "SELECT count() FROM events_distributed WHERE created_at >= '2026-11-20T12:00:00.010Z'::DateTime64(3, 'Asia/Tokyo')",
    10,
  ],
  [
    'also in a subquery that uses columns of the outer query',
    "SELECT count() FROM events_distributed AS e WHERE created_at < '2026-11-20T12:00:00.005Z' AND EXISTS (SELECT 1 FROM events_distributed AS f WHERE f.ip = e.ip)",
    5,
  ],
])('a time with Z is read as UTC: %s', async (_what, sql, rows) => {
  expect((await engine.query('acme', sql)).text).toBe(`${rows}\n`);
});

describe('a statement that would never end (contract 8)', () => {
  test.each(readCorpus('bombs.txt'))(
    'ends when its caller disconnects: $tries',
    async ({ statements }) => {
      await Promise.all(
        statements.map(async (statement) => {
          const signal = AbortSignal.timeout(300);
          const { kind } = await engine.query('acme', statement, signal);
          expect(['database_error', 'unavailable', 'too_large', 'rows'], statement).toContain(kind);
        }),
      );
      const running = "SELECT query FROM system.processes WHERE user = 'guard_acme'";
      await until(
        'the statement no longer runs',
        async () => (await engine.asOwner(running)) === '',
      );
      await settle('rival', 40);
    },
  );
});

describe('a statement that arrives on a socket (contract 4.3, 8)', () => {
  const ENDLESS = 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)';
  const app = Fastify();
  let port = 0;

  /** Sends one request on its own connection. `receivedText` returns the bytes of the server so far. */
  function post(sql: string, key = 'acme'): { socket: Socket; receivedText: () => string } {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString()));
    const head = `POST /query HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${key}\r\nConnection: close`;
    socket.write(`${head}\r\nContent-Length: ${sql.length}\r\n\r\n${sql}`);
    return { socket, receivedText: () => text };
  }

  async function running(): Promise<number> {
    const sql = "SELECT count() FROM system.processes WHERE user = 'guard_acme'";
    return Number(await engine.asOwner(sql));
  }

  beforeAll(async () => {
    await app.register(engine.analytics.routes);
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(() => app.close());

  test.each([ENDLESS, 'SELECT count() FROM numbers(1000000) AS a, numbers(1000000) AS b'])(
    'is cancelled in the database when its caller disconnects: %s',
    async (sql) => {
      const { socket } = post(sql);
      await until('the statement runs', async () => (await running()) === 1);
      socket.destroy();
      await until('the statement has ended', async () => (await running()) === 0, 10_000);
    },
  );

  test('ends with 401 and an empty body when its key is revoked, also while it waits (contract 5)', async () => {
    const requests = Array.from({ length: 5 }, () => post(ENDLESS, 'acme-leaked'));
    await until('four statements run', async () => (await running()) === 4);
    engine.revoke('acme-leaked');
    for (const { receivedText } of requests) {
      await until('the request is answered', () => receivedText().endsWith('\r\n\r\n'), 5000);
      expect(receivedText()).toMatch(/^HTTP\/1\.1 401 /);
    }
    await until('no statement runs', async () => (await running()) === 0);
  });

  test('at most four answers that the caller of a key does not read are in memory', async () => {
    const { promise: delivery, resolve: take } = Promise.withResolvers<undefined>();
    const ask = {
      organisation: 'acme',
      sql: 'SELECT 1',
      authorization: 'Bearer acme',
      delivered: delivery,
    };
    const { runQuery } = engine.analytics;
    for (let index = 0; index < 4; index += 1) expect((await runQuery(ask)).kind).toBe('rows');
    let fifthKind: string | undefined;
    const fifthQuery = runQuery(ask).then(({ kind }) => (fifthKind = kind));
    expect((await engine.query('acme', 'SELECT 2')).text).toBe('2\n');
    expect(fifthKind).toBeUndefined();
    take(undefined);
    await fifthQuery;
    expect(fifthKind).toBe('rows');
  });

  test('contract 4.3, default: four queries of a key run, sixteen wait, and a further query gets 503 with Retry-After, code and identifier', async () => {
    const requests = Array.from({ length: 20 }, () => post(ENDLESS));
    await until('four statements run', async () => (await running()) === 4);
    const refusedQuery = post('SELECT 1');
    await until('the request is answered', () => refusedQuery.receivedText().endsWith(')\n'));
    expect(refusedQuery.receivedText()).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 2\r\n/s);
    expect(refusedQuery.receivedText()).toContain(
      'Code: 202. DB::Exception: Too many queries of this key are waiting. Try again later. (TOO_MANY_SIMULTANEOUS_QUERIES)\n',
    );
    expect(await running()).toBe(4);
    const another = post('SELECT 7', 'acme-another');
    await until('another key has room', () => another.receivedText().includes('\r\n7\n'));
    expect((await engine.query('rival', 'SELECT 1')).text).toBe('1\n');
    for (const { socket } of requests) socket.destroy();
    await until('no statement runs', async () => (await running()) === 0);
    const after = post('SELECT 1');
    await until('there is room again', () => after.receivedText().startsWith('HTTP/1.1 200 '));
  });
});

/** Removes text of the statement from an answer, because an error repeats parts of the statement. */
function withoutItself(text: string, sql: string): string {
  return sql.includes(CANARY)
    ? text.replaceAll(/'[^'\n]*canary[^'\n]*'|`?canary[\w-]*`?/g, '')
    : text;
}
