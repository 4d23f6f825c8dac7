import { join } from 'node:path';
import {
  directoryUrl,
  type FetchedKeys,
  parsePublishedKeys,
  readFetchedKeys,
} from '@guard/config/settings/keys/agent-keys';
import type { Clock } from '@guard/config/contract/ports';
import {
  type AgentDirectory,
  MAX_DIRECTORY_BYTES,
} from '@guard/config/settings/sections/web-bot-auth';
import { fetchList } from './fetch-list.ts';
import type { FetchReport, FetchTerms } from './fetch-report.ts';
import { jsonText, keepFile } from '../process/keep-file.ts';

export interface DirectoryReport extends FetchReport {
  readonly name: string;
  readonly directory: string;
  readonly keys: number;
}

interface AgentRefresh extends FetchTerms {
  readonly folder: string;
  readonly clock: Clock;
}

const MEDIA_TYPE = 'application/http-message-signatures-directory+json';

/** Fetches and stores the keys of one directory. After a failure the last good keys stay. Never rejects. */
export async function refreshDirectory(
  directory: AgentDirectory,
  { folder, mirrorOf, timeoutMs, clock }: AgentRefresh,
): Promise<DirectoryReport> {
  const { name, url: origin } = directory;
  const knownKeys = readLastGood(folder, directory);
  const report = { name, directory: origin, keys: knownKeys?.keys.length ?? 0, dropped: 0 };
  const url = directoryUrl(directory);
  const fetchOutcome = await fetchList(mirrorOf?.(url) ?? url, knownKeys ?? {}, {
    timeoutMs,
    userAgent: 'guard agents refresh',
    accept: `${MEDIA_TYPE}, application/json;q=0.9`,
    maxBytes: MAX_DIRECTORY_BYTES,
    // The media type of the draft, the media types of its first versions, and plain JSON. Web pages are refused.
    mediaType: /^application\/(?:http-message-signatures-directory\b|(?:[\w.-]+\+)?json\b)/i,
    refusesRedirects: true,
    // A mirror of the user can have any address.
    publicOnly: mirrorOf === undefined,
  });
  if (fetchOutcome.kind === 'failed')
    return { ...report, result: 'failed', reason: fetchOutcome.reason };
  const fetchFields = { fetched_at: new Date(clock()).toISOString(), directory: origin };
  if (fetchOutcome.kind === 'unchanged') {
    if (knownKeys === undefined)
      return { ...report, result: 'failed', reason: 'status 304 unasked' };
    const confirmedKeys = { ...knownKeys, ...fetchFields };
    return writeKeys({ ...report, result: 'unchanged', reason: '' }, folder, confirmedKeys);
  }
  const parsed = parsePublishedKeys(fetchOutcome.bytes.toString());
  if (parsed.kind === 'refused') {
    return { ...report, result: 'refused', reason: parsed.reason };
  }
  const { keys, dropped } = parsed;
  const updatedReport = { ...report, keys: keys.length, dropped, reason: '' };
  const fetchedKeys = { ...fetchFields, ...fetchOutcome.state, keys: [...keys] };
  return writeKeys({ ...updatedReport, result: 'updated' }, folder, fetchedKeys);
}

/** The last good keys. A damaged file is treated as missing, so that the refresh replaces it. */
function readLastGood(folder: string, directory: AgentDirectory): FetchedKeys | undefined {
  try {
    return readFetchedKeys(folder, directory);
  } catch {
    return undefined;
  }
}

async function writeKeys(
  report: DirectoryReport,
  folder: string,
  fetched: FetchedKeys,
): Promise<DirectoryReport> {
  const reason = await keepFile(join(folder, `${report.name}.json`), jsonText(fetched));
  return reason === undefined ? report : { ...report, result: 'failed', reason };
}
