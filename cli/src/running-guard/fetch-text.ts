import { fetchFault, readAtMost } from '@guard/server';

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
    const body = await readAtMost(answer, MAX_ANSWER_BYTES);
    if (body === undefined) return { kind: 'away', why: 'the answer is too large' };
    return { kind: 'fetched', status: answer.status, text: body.toString() };
  } catch (error) {
    return { kind: 'away', why: fetchFault(error, timeoutMs) };
  }
}
