/** Largest answer that is read: what `POST /query` may give (contract 8). */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export type Fetched =
  | { readonly kind: 'fetched'; readonly status: number; readonly text: string }
  /** No answer, as a phrase. */
  | { readonly kind: 'away'; readonly why: string };

/** Asks a service of a running Guard. Never rejects, reads no more than an answer may have. */
export async function fetchText(
  url: string | URL,
  init: Omit<RequestInit, 'signal'>,
  timeoutMs: number,
): Promise<Fetched> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { ...init, signal, redirect: 'error' });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    // The types of fetch leave open what its body is made of; the Fetch standard says bytes.
    const body = answer.body as AsyncIterable<Uint8Array> | null;
    for await (const part of body ?? []) {
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) return { kind: 'away', why: 'the answer is too large' };
      parts.push(part);
    }
    return { kind: 'fetched', status: answer.status, text: Buffer.concat(parts).toString() };
  } catch (error) {
    return { kind: 'away', why: reasonOf(error, timeoutMs) };
  }
}

/** fetch says "fetch failed", and why only in its cause. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
