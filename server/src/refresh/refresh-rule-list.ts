import type { Clock } from '@guard/config/contract/ports';
import { compileTextPattern } from '@guard/config/matching/glob';
import { readRange } from '@guard/config/net/address';
import { readTextFile } from '@guard/config/settings/values/files';
import {
  type FetchedList,
  formatCopy,
  newOrigin,
  originOf,
  shownUrl,
} from '@guard/config/settings/lists/list-copy';
import { MAX_LIST_BYTES, parseList } from '@guard/config/settings/lists/list-text';
import { inSlices, type Pause, workInSlices } from '@guard/config/time/slices';
import { fetchList } from './fetch-list.ts';
import { type FetchOutcome, oldCopyStays } from './keep-fresh.ts';
import { keepFile } from '../process/keep-file.ts';

const TIMEOUT_MS = 15_000;
/** Space for the lines before the list that say where the copy came from. */
const MAX_ORIGIN_BYTES = 8 * 1024;
/**
 * The widest accepted range for each family. With a wider range, a mistake in a list would make its rule match nearly
 * all visitors. Ranges of reserved addresses may be wider: known lists contain them, and no visitor has such an
 * address.
 */
const WIDEST_PREFIX = { 4: 8, 6: 16 } as const;
/** The first address after all IPv4 addresses that a visitor can have (RFC 1112 section 4). */
const RESERVED_V4 = 0xe000_0000;
/** The first and the last IPv6 address that a visitor can have (RFC 4291 section 2.4). */
const GLOBAL_V6 = { first: 0x2000n << 112n, last: (0x4000n << 112n) - 1n };

/** Fetches a list of a rule, and stores it if it is plausible. Otherwise the last copy stays. Never rejects. */
export async function refreshRuleList(list: FetchedList, clock: Clock): Promise<FetchOutcome> {
  const { url, copyPath } = list;
  const pause = inSlices();
  const lastGoodCopy = await readLastGood(list, pause);
  const fetchOutcome = await fetchList(url, lastGoodCopy.origin ?? {}, {
    timeoutMs: TIMEOUT_MS,
    userAgent: 'guard',
    accept: 'text/plain, */*;q=0.5',
    maxBytes: MAX_LIST_BYTES - MAX_ORIGIN_BYTES,
  });
  if (fetchOutcome.kind === 'failed') return oldCopyStays(fetchOutcome.reason);
  if (fetchOutcome.kind === 'unchanged') {
    return lastGoodCopy.origin ? { kind: 'current' } : oldCopyStays('status 304 unasked');
  }
  const text = fetchOutcome.bytes.toString().replace(/^\uFEFF/, '');
  const checkResult = await checkPlausible(text, list, lastGoodCopy.entries, pause);
  if (typeof checkResult === 'string') return oldCopyStays(checkResult);
  const copyText = formatCopy(newOrigin(url, clock(), fetchOutcome.state), text);
  // Each invalid byte becomes three bytes of UTF-8, so the copy can be longer than the answer. A copy above the size
  // limit would be read as an empty list.
  if (Buffer.byteLength(copyText) > MAX_LIST_BYTES) {
    return oldCopyStays(`a list of more than ${MAX_LIST_BYTES / 1024 ** 2} MiB`);
  }
  const failure = await keepFile(copyPath, copyText);
  return failure === undefined
    ? { kind: 'current', what: { entries: checkResult.entries } }
    : oldCopyStays(failure);
}

/** Reads the copy in use. A damaged copy, or a copy from another URL, is treated as missing. */
async function readLastGood(list: FetchedList, pause: Pause) {
  const storedCopy = readCopy(list);
  const parsed = storedCopy && (await workInSlices(parseList(storedCopy.text, list.kind), pause));
  if (parsed?.kind !== 'parsed') return { origin: undefined, entries: 0 };
  return { origin: storedCopy?.origin, entries: parsed.entries.length };
}

/** Reads the copy of a list. Undefined for a copy from another URL. */
export function readCopy({ url, copyPath }: FetchedList) {
  const file = readTextFile(copyPath, MAX_LIST_BYTES);
  const origin = file.kind === 'read' ? originOf(file.text) : undefined;
  if (file.kind !== 'read' || origin?.url !== shownUrl(url)) return undefined;
  return { text: file.text, origin };
}

/**
 * Checks a fetched list. Resolves with the number of entries if the list is plausible, or else with the reason why it
 * is refused.
 */
async function checkPlausible(
  text: string,
  { kind }: FetchedList,
  entriesBefore: number,
  pause: Pause,
): Promise<string | { readonly entries: number }> {
  const parsed = await workInSlices(parseList(text, kind), pause);
  switch (parsed.kind) {
    case 'too_long':
      return `a list of more than ${parsed.maxEntries} entries`;
    case 'bad_lines':
      return `${parsed.badLineCount} lines are no entries, the first is line ${parsed.lines[0]?.line ?? 1}: ${parsed.expected}`;
    case 'parsed': {
      const entries = parsed.entries.length;
      if (entries === 0) return 'a list without entries';
      const tooWide = kind === 'ip' ? await findTooWide(parsed.entries, pause) : undefined;
      if (tooWide !== undefined)
        return `${tooWide} is wider than an IPv4 /${WIDEST_PREFIX[4]} or an IPv6 /${WIDEST_PREFIX[6]}`;
      if (kind === 'user_agent' && matchAllBrowsers(parsed.entries.map(String))) {
        return 'its patterns match Chrome, Firefox and Safari, which nearly all visitors use';
      }
      if (entries * 2 < entriesBefore) {
        return `${entries} entries in place of ${entriesBefore}: less than half. To accept the list, remove the copy`;
      }
      return { entries };
    }
  }
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
];

function matchAllBrowsers(patterns: readonly string[]): boolean {
  const tests = patterns.map((pattern) => compileTextPattern(pattern));
  return BROWSERS.every((browser) => tests.some((matches) => matches(browser)));
}

async function findTooWide(
  entries: readonly (string | number)[],
  pause: Pause,
): Promise<string | undefined> {
  for (const [at, entry] of entries.entries()) {
    if (isTooWide(String(entry))) return String(entry);
    if (at % 1_000 === 0) await pause();
  }
  return undefined;
}

function isTooWide(entry: string): boolean {
  const range = readRange(entry);
  if (range === undefined || range.length >= WIDEST_PREFIX[range.family]) return false;
  return range.family === 4
    ? range.first < RESERVED_V4
    : range.first <= GLOBAL_V6.last && range.last >= GLOBAL_V6.first;
}
