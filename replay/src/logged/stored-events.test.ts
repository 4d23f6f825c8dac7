import { beforeEach, expect, test } from 'vitest';
import { type Ask, countEvents, readEvents } from './stored-events.ts';

/**
 * A fake of the analytics, with events. It limits the size of an answer, and understands only the SQL of readEvents.
 */
let events: { readonly created_at: string; readonly request_id: string }[] = [];
let maxRows = Infinity;
let askedLimits: number[] = [];

const ask: Ask = (sql) => {
  if (sql.startsWith('SELECT count()')) return Promise.resolve(`${events.length}\n`);
  const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1]);
  const lastId = /toUUID\('([^']+)'\)/.exec(sql)?.[1];
  askedLimits.push(limit);
  const start = events.findIndex(({ request_id }) => request_id === lastId) + 1;
  const page = events.slice(start, start + limit);
  if (page.length > maxRows) return Promise.resolve('too_large');
  return Promise.resolve(page.map((event) => `${JSON.stringify(event)}\n`).join(''));
};
const source = { ask, sinceMs: 0, untilMs: 1 };

beforeEach(() => {
  maxRows = Infinity;
  askedLimits = [];
  events = Array.from({ length: 9_500 }, (_, index) => ({
    created_at: '2026-11-21 09:15:30.000',
    request_id: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
  }));
});

async function readAll(): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const page of readEvents(source)) lines.push(...page);
  return lines;
}

test('every event is read once, page after page, also when many events have the same time', async () => {
  expect(await readAll()).toEqual(events.map((event) => JSON.stringify(event)));
  expect(await countEvents(source)).toBe(events.length);
  expect(askedLimits).toEqual([4_000, 4_000, 4_000]);
});

test('after an answer above 4 MiB (contract 8), the next statement asks for half of the rows', async () => {
  maxRows = 1_500;
  expect(await readAll()).toHaveLength(events.length);
  expect(askedLimits.slice(0, 4)).toEqual([4_000, 2_000, 1_000, 1_000]);
});

test('an answer with an invalid event never becomes part of a statement', async () => {
  events = events.map((event) => ({ ...event, request_id: "') OR 1 --" }));
  await expect(readAll()).rejects.toThrow('an answer that is no event');
});
