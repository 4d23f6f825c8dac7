/** Compares Guard's own bounded maps with lru-cache: docs/decisions/lru-cache.md. */
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { TwoGenerationCache } from '../validator/src/session/two-generation-cache.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

const SESSIONS = 200_000;
/** Sessions that a snapshot writes in one turn of the event loop. */
const SESSIONS_A_TURN = 1_000;
const NAMES_REMEMBERED = 1_024;
/** Names of header fields that a browser sends. */
const NAMES =
  'Host User-Agent Accept Accept-Language Accept-Encoding Referer Cookie Connection Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Ch-Ua Sec-Ch-Ua-Mobile Priority Pragma'.split(
    ' ',
  );
const LOOK_UPS = 1_000_000;

interface Target {
  readonly name: string;
  readonly unit: string;
  readonly own: () => number;
  readonly lru: () => number;
}

export function bench({ rounds, onProgress }: BenchOptions): Promise<Report> {
  const targets = [...sessionTargets(), namesTarget()];
  const rows = targets.map(({ name, unit, own, lru }) => {
    const samples = Array.from({ length: rounds }, (_, round) => {
      onProgress(`round ${round + 1} of ${rounds}: ${name}`);
      return [own(), lru()] as const;
    });
    const [ours, theirs] = [0, 1].map((index) =>
      median(samples.map((sample) => sample[index] ?? 0)),
    );
    return { name, unit, own: ours ?? 0, lru: theirs ?? 0 };
  });
  const body = rows.map(({ name, unit, own, lru }) => [
    name,
    `${own.toFixed(1)} ${unit}`,
    `${lru.toFixed(1)} ${unit}`,
  ]);
  const head = ['one thread, in process', 'our own', 'lru-cache'];
  return Promise.resolve({ rows, table: toTable(head, body), notes: NOTES });
}

const NOTES = [
  `${SESSIONS} sessions, half of them in use, ${LOOK_UPS} look-ups in each round; each key is a new text`,
  `our own lists ${SESSIONS_A_TURN} sessions in each turn; lru-cache has no safe way to continue in a later turn`,
  `our own memory of field names is a Map of ${NAMES_REMEMBERED} names that is emptied when it is full`,
];

function sessionTargets(): readonly Target[] {
  const cache = new TwoGenerationCache<object>(SESSIONS);
  const lru = new LRUCache<string, object>({ max: SESSIONS });
  const ids = Array.from({ length: SESSIONS / 2 }, () => randomUUID());
  for (const id of ids) cache.set(id, { id });
  for (const id of ids) lru.set(id, { id });
  return [
    {
      name: 'look up a session',
      unit: 'ns',
      own: () => lookUpNs(ids, (id) => cache.get(id)),
      lru: () => lookUpNs(ids, (id) => lru.get(id)),
    },
    {
      name: `the longest turn while ${ids.length} sessions are listed`,
      unit: 'ms',
      own: () => longestTurnMs(cache.entries()),
      lru: () => elapsedMs(() => [...lru.entries()]),
    },
  ];
}

function namesTarget(): Target {
  const map = new Map<string, number>();
  const lru = new LRUCache<string, number>({ max: NAMES_REMEMBERED });
  for (const [index, name] of NAMES.entries()) map.set(name, index);
  for (const [index, name] of NAMES.entries()) lru.set(name, index);
  return {
    name: 'look up the name of a header field',
    unit: 'ns',
    own: () => lookUpNs(NAMES, (name) => map.get(name)),
    lru: () => lookUpNs(NAMES, (name) => lru.get(name)),
  };
}

/** Returns the nanoseconds for each look-up. The keys are read from bytes, as in a request. */
function lookUpNs(keys: readonly string[], lookUp: (key: string) => unknown): number {
  const bytes = keys.map((key) => Buffer.from(key, 'latin1'));
  const stride = 7_919;
  let at = 0;
  const tookMs = elapsedMs(() => {
    for (let each = 0; each < LOOK_UPS; each++) {
      at = (at + stride) % bytes.length;
      if (lookUp(bytes[at]?.toString('latin1') ?? '') === undefined) throw new Error('not there');
    }
  });
  return (tookMs * 1e6) / LOOK_UPS;
}

function longestTurnMs(entries: Iterator<unknown>): number {
  let longest = 0;
  let listedEntries = 0;
  const listTurn = () => {
    listedEntries = 0;
    while (listedEntries < SESSIONS_A_TURN && entries.next().done !== true) listedEntries++;
  };
  do longest = Math.max(longest, elapsedMs(listTurn));
  while (listedEntries === SESSIONS_A_TURN);
  return longest;
}

function elapsedMs(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
