import { expect, test } from 'vitest';
import { overLocalTable, withUtcTimes } from './adapt.ts';

const T = '2026-11-20T08:00:00';

test.each([
  [`created_at > '${T}Z'`, `created_at > toDateTime64('${T}Z', 3, 'UTC')`],
  [`e.\`created_at\`<='${T}.1234Z'`, `e.\`created_at\`<=toDateTime64('${T}.1234Z', 4, 'UTC')`],
  [
    `created_at NOT BETWEEN '${T}Z' AND '${T}Z'`,
    `created_at NOT BETWEEN toDateTime64('${T}Z', 3, 'UTC') AND toDateTime64('${T}Z', 3, 'UTC')`,
  ],
  [`'${T}Z' /* < */ < e.created_at`, `toDateTime64('${T}Z', 3, 'UTC') /* < */ < e.created_at`],
])('a time with Z is adapted in a comparison with created_at: %s', (givenSql, adaptedSql) => {
  expect(withUtcTimes(givenSql)).toBe(adaptedSql);
  expect(withUtcTimes(adaptedSql)).toBe(adaptedSql);
});

test.each([
  `path = '${T}Z'`,
  `created_at > toDateTime64('${T}Z', 3)`,
  `'${T}Z' < created_at.x`,
  `'created_at > ''${T}Z'''`,
  `created_at > '${T}Z' 'not a string`,
  `created_at > '${T}Z\\''`,
  `created_at > '${T}+01:00'`,
  `created_at > 1 AND '${T}Z'`,
  `my_created_at > '${T}Z'`,
])('this statement is not changed: %s', (sql) => {
  expect(withUtcTimes(sql)).toBe(sql);
});

test('the local table replaces the distributed table, but not inside a string', () => {
  const sql = `SELECT 'events_distributed', events_distributed.ip FROM default."events_distributed" -- events_distributed`;
  expect(overLocalTable(sql)).toBe(
    `SELECT 'events_distributed', events.ip FROM default.events -- events_distributed`,
  );
});

test.each([
  'WITH events AS (SELECT 1) SELECT * FROM events_distributed',
  'SELECT * FROM numbers(1) AS events_distributed, events_distributed',
  'SELECT * FROM events_distributed `events`',
])(
  'a statement that uses one of the two table names for something else is not changed: %s',
  (sql) => {
    expect(overLocalTable(sql)).toBeUndefined();
  },
);
