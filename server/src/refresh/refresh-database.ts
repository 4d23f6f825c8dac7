import { mmdbBuiltAt } from '@guard/config/catalogue/mmdb';
import type { Clock } from '@guard/config/contract/ports';
import { readTextFile } from '@guard/config/settings/values/files';
import type { FetchedDatabase } from '@guard/config/settings/derived/fetched-databases';
import {
  formatCopy,
  type ListOrigin,
  newOrigin,
  originOf,
} from '@guard/config/settings/lists/list-copy';
import { refusalOfDatabase } from './plausible-database.ts';
import { fetchList } from './fetch-list.ts';
import { keepFile } from '../process/keep-file.ts';
import { type FetchOutcome, oldCopyStays } from './keep-fresh.ts';

/** This is long enough for some ten megabytes on a slow connection. */
const TIMEOUT_MS = 5 * 60_000;
/**
 * This is four times the size of a large database. It is limited, because two new databases can be in memory together
 * with the two databases in use.
 */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ORIGIN_BYTES = 8 * 1024;

/** Fetches a database, and stores it if it is plausible compared with the database in use. Never rejects. */
export async function refreshDatabase(
  database: FetchedDatabase,
  inUse: string | undefined,
  clock: Clock,
): Promise<FetchOutcome> {
  const { kind, url, copyPath } = database;
  const knownOrigin = originIn(database);
  const fetchOutcome = await fetchList(url, knownOrigin ?? {}, {
    timeoutMs: TIMEOUT_MS,
    userAgent: 'guard',
    accept: 'application/octet-stream, */*;q=0.5',
    maxBytes: MAX_BYTES,
  });
  if (fetchOutcome.kind === 'failed') return oldCopyStays(fetchOutcome.reason);
  if (fetchOutcome.kind === 'unchanged') {
    if (knownOrigin === undefined) return oldCopyStays('status 304 unasked');
    const origin = { ...knownOrigin, ...newOrigin(url, clock()) };
    const reason = await keepFile(originFile(copyPath), formatCopy(origin, ''));
    return reason === undefined ? { kind: 'current' } : oldCopyStays(reason);
  }
  const { bytes } = fetchOutcome;
  const refusal = await refusalOfDatabase(kind, bytes, {
    fileInUse: inUse,
    isFromSameUrl: inUse === copyPath,
  });
  if (refusal !== undefined) return oldCopyStays(refusal);
  const origin = newOrigin(url, clock(), fetchOutcome.state);
  // The database is written first. After a crash between the two writes, it is only fetched again. In the other order,
  // Guard would treat the old copy as the new one.
  const reason =
    (await keepFile(copyPath, bytes)) ??
    (await keepFile(originFile(copyPath), formatCopy(origin, '')));
  return reason === undefined
    ? { kind: 'current', what: { bytes: bytes.length } }
    : oldCopyStays(reason);
}

/** The source of the copy. Undefined when there is no readable copy, so that the whole database is fetched. */
export function originIn({ copyPath }: FetchedDatabase): ListOrigin | undefined {
  if (mmdbBuiltAt(copyPath) === undefined) return undefined;
  const file = readTextFile(originFile(copyPath), MAX_ORIGIN_BYTES);
  return file.kind === 'read' ? originOf(file.text) : undefined;
}

/** The URL and time are in a separate file, so that the copy stays as published. */
function originFile(copyPath: string): string {
  return `${copyPath}.origin`;
}
