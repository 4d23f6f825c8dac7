/** What came of asking for one list. */
export type Fetched =
  | {
      readonly kind: 'fetched';
      readonly text: string;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    }
  /** 304: the state that was named still holds. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The state of a list that is already here (RFC 9110 section 13.1). */
export interface KnownState {
  readonly etag?: string | undefined;
  readonly last_modified?: string | undefined;
}

/** Largest list, in bytes, after any content coding. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Asks for a list, within `timeoutMs` for all of it. Never rejects. */
export async function fetchList(
  url: string,
  known: KnownState,
  timeoutMs: number,
): Promise<Fetched> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
    'user-agent': 'guard crawlers refresh',
  };
  if (known.etag !== undefined) headers['if-none-match'] = known.etag;
  if (known.last_modified !== undefined) headers['if-modified-since'] = known.last_modified;
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    return await readResponse(url, response);
  } catch (error) {
    return failed(describe(error, timeoutMs));
  }
}

async function readResponse(url: string, response: Response): Promise<Fetched> {
  if (response.status === 304) return { kind: 'unchanged' };
  const reason = refusalOf(url, response);
  if (reason !== undefined) {
    await response.body?.cancel();
    return failed(reason);
  }
  const text = await readAtMost(response, MAX_BYTES);
  if (text === undefined) return failed(`a list of more than ${MAX_BYTES / 1024 ** 2} MiB`);
  return {
    kind: 'fetched',
    text,
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
  };
}

/** Why an answer is not read. */
function refusalOf(url: string, response: Response): string | undefined {
  if (response.status !== 200) return `status ${response.status}`;
  // Who can change plain http on the way could make anybody a verified crawler.
  if (url.startsWith('https:') && !response.url.startsWith('https:')) {
    return 'a redirect away from https';
  }
  return undefined;
}

/** The body as text; undefined when it is larger. */
async function readAtMost(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return '';
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failed(reason: string): Fetched {
  return { kind: 'failed', reason };
}

/** `fetch` says "fetch failed", and why only in the cause. */
function describe(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
