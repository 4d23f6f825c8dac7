import { inertJson } from '@guard/config/settings/problems/problems';
import { readAtMost } from '@guard/config/net/read-at-most';
import { isLoopbackHost } from '@guard/config/net/special-address';
import { sizeOf } from '@guard/config/settings/values/files';
import { isInside, refusalOfHost } from './public-host.ts';

export type ListOutcome =
  | {
      readonly kind: 'fetched';
      readonly bytes: Buffer;
      readonly state: KnownState;
    }
  /** The status is 304: the list has not changed. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The HTTP validators of a copy (ETag and Last-Modified), for the next conditional request (RFC 9110 section 13.1). */
interface KnownState {
  readonly etag?: string | undefined;
  readonly last_modified?: string | undefined;
}

interface ListTerms {
  /** The time limit for the whole answer. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest accepted list in bytes, after decompression. */
  readonly maxBytes: number;
  /** The accepted media types. When it is undefined, all types are accepted. */
  readonly mediaType?: RegExp;
  readonly refusesRedirects?: true;
  /** When it is true, hosts with a private address are refused. */
  readonly publicOnly?: boolean;
}

const MAX_REDIRECTS = 5;

/** Requests a list. Never rejects. */
export async function fetchList(
  url: string,
  knownState: KnownState,
  terms: ListTerms,
): Promise<ListOutcome> {
  const { accept, userAgent, timeoutMs } = terms;
  const headers: Record<string, string> = { ...terms.headers, accept, 'user-agent': userAgent };
  if (knownState.etag !== undefined) headers['if-none-match'] = knownState.etag;
  if (knownState.last_modified !== undefined)
    headers['if-modified-since'] = knownState.last_modified;
  try {
    const reason = terms.publicOnly === true ? await refusalOfHost(url) : undefined;
    if (reason !== undefined) return failedOutcome(reason);
    const signal = AbortSignal.timeout(timeoutMs);
    const refusesRedirects = terms.refusesRedirects === true;
    const response = await followRedirects(url, { headers, signal }, refusesRedirects);
    if (typeof response === 'string') return failedOutcome(response);
    return await readResponse(response, terms);
  } catch (error) {
    return failedOutcome(fetchFault(error, timeoutMs));
  }
}

/**
 * Follows redirects. Resolves with the last answer after all redirects, or with the reason why a redirect is refused.
 */
async function followRedirects(
  url: string,
  init: RequestInit,
  refusesRedirects: boolean,
): Promise<Response | string> {
  let currentUrl = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(currentUrl, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null || refusesRedirects) return response;
    await response.body?.cancel();
    const nextUrl = URL.parse(location, currentUrl);
    if (nextUrl === null) return `a redirect to ${inertJson(location.slice(0, 100))}`;
    if (redirects === MAX_REDIRECTS) return `more than ${MAX_REDIRECTS} redirects`;
    const refusal = await refusalOfRedirect(new URL(currentUrl), nextUrl);
    if (refusal !== undefined) return refusal;
    currentUrl = nextUrl.href;
  }
}

/** Says why a redirect is refused. A publisher must not be able to make Guard ask hosts in Guard's own network. */
async function refusalOfRedirect(from: URL, to: URL): Promise<string | undefined> {
  // Over plain http, an attacker could change the list and so make any visitor a verified crawler.
  if (from.protocol !== to.protocol) return 'a redirect to another scheme';
  if (from.hostname === to.hostname) return undefined;
  if (to.protocol === 'http:' && isLoopbackHost(from.hostname) && !isLoopbackHost(to.hostname)) {
    return 'a redirect over plain http to another machine';
  }
  const privateRefusal = await refusalOfHost(to.href);
  // A server in Guard's own network may redirect to another server in this network.
  if (privateRefusal === undefined || (await isInside(from.href))) return undefined;
  return `a redirect: ${privateRefusal}`;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function readResponse(
  response: Response,
  { maxBytes, mediaType }: ListTerms,
): Promise<ListOutcome> {
  if (response.status === 304) return { kind: 'unchanged' };
  const reason = refusalOf(response, mediaType);
  if (reason !== undefined) {
    await response.body?.cancel();
    return failedOutcome(reason);
  }
  const bytes = await readAtMost(response.body ?? [], maxBytes);
  if (bytes === undefined) return failedOutcome(`a list of more than ${sizeOf(maxBytes)}`);
  const etag = response.headers.get('etag') ?? undefined;
  const lastModified = response.headers.get('last-modified') ?? undefined;
  return { kind: 'fetched', bytes, state: { etag, last_modified: lastModified } };
}

function refusalOf(response: Response, mediaType?: RegExp): string | undefined {
  if (response.status !== 200) return `status ${response.status}`;
  const type = response.headers.get('content-type') ?? '';
  if (mediaType?.test(type) === false) return `the media type ${inertJson(type)}`;
  return undefined;
}

/** Says why `fetch` failed. The error says only "fetch failed", and its cause has the reason. */
export function fetchFault(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

function failedOutcome(reason: string): ListOutcome {
  return { kind: 'failed', reason };
}
