import { readAtMost } from '../running-guard/fetch-text.ts';
import { fetchFault } from '../terminal/faults.ts';
import { refusalOfHost } from './public-host.ts';

/** The result of asking for one list. */
export type Fetched =
  | {
      readonly kind: 'fetched';
      readonly text: string;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    }
  /** 304: the list has not changed. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The state of a list that is already here (RFC 9110 section 13.1). */
export interface KnownState {
  readonly etag?: string | undefined;
  readonly last_modified?: string | undefined;
}

/** How a list is asked for, and which answers are accepted. */
export interface ListTerms {
  /** For the whole answer. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly accept: string;
  /** Largest list, in bytes, after any content coding. */
  readonly maxBytes: number;
  /** Accepted media types; without it all are. */
  readonly mediaType?: RegExp;
  /** A redirect is refused. */
  readonly refusesRedirects?: true;
  /** A host with an address inside of a network is not asked. */
  readonly publicOnly?: boolean;
}

/** Asks for a list. Never rejects. */
export async function fetchList(
  url: string,
  known: KnownState,
  terms: ListTerms,
): Promise<Fetched> {
  const { accept, userAgent, timeoutMs } = terms;
  const headers: Record<string, string> = { accept, 'user-agent': userAgent };
  if (known.etag !== undefined) headers['if-none-match'] = known.etag;
  if (known.last_modified !== undefined) headers['if-modified-since'] = known.last_modified;
  try {
    const reason = terms.publicOnly === true ? await refusalOfHost(url) : undefined;
    if (reason !== undefined) return failed(reason);
    const redirect = terms.refusesRedirects === true ? 'manual' : 'follow';
    const signal = AbortSignal.timeout(timeoutMs);
    return await readResponse(url, await fetch(url, { headers, redirect, signal }), terms);
  } catch (error) {
    return failed(fetchFault(error, timeoutMs));
  }
}

async function readResponse(
  url: string,
  response: Response,
  { maxBytes, mediaType }: ListTerms,
): Promise<Fetched> {
  if (response.status === 304) return { kind: 'unchanged' };
  const reason = refusalOf(url, response, mediaType);
  if (reason !== undefined) {
    await response.body?.cancel();
    return failed(reason);
  }
  const text = await readAtMost(response, maxBytes);
  if (text === undefined) return failed(`a list of more than ${sizeOf(maxBytes)}`);
  return {
    kind: 'fetched',
    text,
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
  };
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ** 2 ? `${bytes / 1024} KiB` : `${bytes / 1024 ** 2} MiB`;
}

/** Why an answer is not read. */
function refusalOf(url: string, response: Response, mediaType?: RegExp): string | undefined {
  if (response.status !== 200) return `status ${response.status}`;
  // An attacker who can change plain http on the way could make any visitor a verified crawler.
  if (url.startsWith('https:') && !response.url.startsWith('https:')) {
    return 'a redirect away from https';
  }
  const type = response.headers.get('content-type') ?? '';
  if (mediaType?.test(type) === false) return `the media type ${JSON.stringify(type)}`;
  return undefined;
}

function failed(reason: string): Fetched {
  return { kind: 'failed', reason };
}
