import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countEvents, type EventSource, readEvents } from './stored-events.ts';

/** A stand-in for `POST /query` that has events and an answer's limit, and no SQL but what is asked here. */
let events: { readonly created_at: string; readonly request_id: string }[] = [];
let mostRows = Infinity;
let asked: number[] = [];

const server = createServer((request, response) => {
  void text(request).then((sql) => {
    if (request.headers.authorization !== 'Bearer good') return response.writeHead(401).end();
    if (sql.startsWith('SELECT count()')) return response.end(`${events.length}\n`);
    const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1]);
    const behind = /toUUID\('([^']+)'\)/.exec(sql)?.[1];
    asked.push(limit);
    const from = events.findIndex(({ request_id }) => request_id === behind) + 1;
    const page = events.slice(from, from + limit);
    if (page.length > mostRows) {
      return response.writeHead(502).end('The answer is larger than 4 MiB. Ask for less.\n');
    }
    return response.end(page.map((event) => `${JSON.stringify(event)}\n`).join(''));
  });
});
let source: EventSource;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  source = { url: `http://127.0.0.1:${port}`, key: 'good', sinceMs: 0, untilMs: 1 };
});
afterAll(() => void server.close());
beforeEach(() => {
  mostRows = Infinity;
  asked = [];
  events = Array.from({ length: 9_500 }, (_, index) => ({
    created_at: '2026-11-21 09:15:30.000',
    request_id: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
  }));
});

async function read(): Promise<{ readonly lines: string[]; readonly rows: number }> {
  const lines: string[] = [];
  let rows = 0;
  await readEvents(source, {
    line: (line) => lines.push(line),
    tooLong: () => undefined,
    read: (amount) => (rows += amount),
  });
  return { lines, rows };
}

test('every event is read once, page behind page, also where many have the same time', async () => {
  const { lines, rows } = await read();
  expect(lines).toEqual(events.map((event) => JSON.stringify(event)));
  expect(rows).toBe(await countEvents(source));
  expect(asked).toEqual([4_000, 4_000, 4_000]);
});

test('an answer above 4 MiB (contract 8) is asked for in halves', async () => {
  mostRows = 1_500;
  const { lines } = await read();
  expect(lines).toHaveLength(events.length);
  expect(asked.slice(0, 4)).toEqual([4_000, 2_000, 1_000, 1_000]);
});

test('what the server refuses is said, without the key', async () => {
  await expect(countEvents({ ...source, key: 'bad-key' })).rejects.toThrow(
    /answered 401: the key is not valid$/,
  );
});

test('nothing of an answer that is no event goes into a statement', async () => {
  events = events.map((event) => ({ ...event, request_id: "') OR 1 --" }));
  await expect(read()).rejects.toThrow('an answer that is no event');
});
