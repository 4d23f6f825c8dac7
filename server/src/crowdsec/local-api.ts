import type { CrowdsecSettings } from '@guard/config/settings/schema';
import { postJson } from '../process/post-json.ts';
import { fetchFault, fetchList } from '../refresh/fetch-list.ts';
import type { CrowdsecAnswer } from './held-decisions.ts';
import { readAnswer } from './read-answer.ts';

/** Maximum number of bytes of one answer. 200,000 decisions fit. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** CrowdSec needs seconds to read the whole list from its database. */
const TIMEOUT_MS = 10_000;

/** The type and version of the bouncer that CrowdSec shows to its operator. */
const BOUNCER = { type: 'guard', version: 'v1' };
const USER_AGENT = `${BOUNCER.type}/${BOUNCER.version}`;

type CrowdsecOutcome =
  | { readonly kind: 'read'; readonly changes: CrowdsecAnswer }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks for the whole list, or for the changes since the last answer. Never rejects. */
export async function askCrowdsec(
  crowdsec: CrowdsecSettings,
  isWhole: boolean,
  clock: () => number,
): Promise<CrowdsecOutcome> {
  const path = `v1/decisions/stream?startup=${isWhole}&scopes=ip,range,country,as`;
  const fetchOutcome = await fetchList(
    urlOf(crowdsec, path),
    {},
    {
      accept: 'application/json',
      userAgent: USER_AGENT,
      headers: { 'x-api-key': crowdsec.key },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      refusesRedirects: true,
    },
  );
  if (fetchOutcome.kind === 'failed') {
    const hint =
      fetchOutcome.reason === 'status 403' ? ': CrowdSec has no bouncer with this key' : '';
    return { kind: 'failed', reason: `${fetchOutcome.reason}${hint}` };
  }
  const changes =
    fetchOutcome.kind === 'fetched'
      ? await readAnswer(fetchOutcome.bytes.toString(), clock(), isWhole)
      : undefined;
  return changes === undefined
    ? { kind: 'failed', reason: 'the answer is no list of decisions' }
    : { kind: 'read', changes };
}

/** The numbers of a bouncer for one period. Times are in milliseconds. */
export interface Usage {
  readonly startedAt: number;
  readonly from: number;
  readonly until: number;
  readonly items: readonly {
    readonly name: 'processed' | 'dropped' | 'active_decisions';
    readonly unit: 'request' | 'ip';
    readonly value: number;
  }[];
}

/** Sends the numbers to CrowdSec. Resolves with the status, or with the reason why no answer came. Never rejects. */
export async function sendUsage(
  crowdsec: CrowdsecSettings,
  { startedAt, from, until, items }: Usage,
): Promise<number | string> {
  const meta = {
    window_size_seconds: Math.round((until - from) / 1000),
    utc_now_timestamp: Math.floor(until / 1000),
  };
  const component = {
    ...BOUNCER,
    name: BOUNCER.type,
    feature_flags: [],
    utc_startup_timestamp: Math.floor(startedAt / 1000),
    metrics: [{ meta, items }],
  };
  const headers = { 'x-api-key': crowdsec.key, 'user-agent': USER_AGENT };
  try {
    const body = { remediation_components: [component] };
    return await postJson(urlOf(crowdsec, 'v1/usage-metrics'), body, TIMEOUT_MS, headers);
  } catch (error) {
    return fetchFault(error, TIMEOUT_MS);
  }
}

function urlOf({ url }: CrowdsecSettings, path: string): string {
  return new URL(path, url.replace(/\/*$/, '/')).href;
}
