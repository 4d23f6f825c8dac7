import type { SeededRandom } from '../../../test/kit/seeded-random.ts';

const SOURCES = [
  'events',
  'events_distributed',
  'default.events',
  "file('FILE', 'LineAsString', 'path String')",
  "merge('default', 'ev.*')",
  '(SELECT * FROM events)',
  '(SELECT * FROM events SETTINGS max_threads = 2)',
  '`events`',
  'mergeTreeIndex(default, events)',
  'events AS e ARRAY JOIN block_reasons AS r',
  'events AS a JOIN events AS b ON a.organisation != b.organisation',
] as const;
const VALUES = [
  '*',
  'path',
  'groupArray(path)',
  "file('FILE')",
  'toString(tuple(*))',
  "COLUMNS('.*')",
  '* EXCEPT (ip) APPLY(toString)',
  "* REPLACE (concat(path, '') AS path)",
  'arrayJoin(mapValues(headers))',
  "(SELECT any(path) FROM events WHERE organisation = 'rival')",
  'any(path) OVER ()',
  'topK(5)(path)',
] as const;
const ENDS = [
  '',
  "WHERE organisation = 'rival'",
  "PREWHERE organisation = 'rival' OR 1",
  'HAVING 1',
  'UNION ALL SELECT path FROM events',
  'LIMIT 100 BY organisation',
  "QUALIFY organisation = 'rival'",
  'FORMAT JSON',
  'FORMAT Native',
] as const;

/**
 * Combines random parts into one SELECT. Each part tries to read data that the account must not see. The caller
 * replaces `FILE` by the path of a file.
 */
export function mixedStatement(random: SeededRandom): string {
  return `SELECT ${random.pick(VALUES)} FROM ${random.pick(SOURCES)} ${random.pick(ENDS)}`;
}
