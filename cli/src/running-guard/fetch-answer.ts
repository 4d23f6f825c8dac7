import { QUERY } from '@guard/config/contract/limits';
import { readAtMost } from '@guard/config/net/read-at-most';
import { fetchFault } from '@guard/server';

export type FetchOutcome =
  | { readonly kind: 'fetched'; readonly status: number; readonly body: Buffer }
  /** There is no answer. `why` is a phrase with the reason. */
  | { readonly kind: 'away'; readonly why: string };

/**
 * Sends a request to a service of a running Guard. Never rejects. Reads at most as many bytes as an answer of `POST
 * /query` can have.
 */
export async function fetchAnswer(
  url: string | URL,
  init: Omit<RequestInit, 'signal'>,
  timeoutMs: number,
): Promise<FetchOutcome> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { ...init, signal, redirect: 'error' });
    const body = await readAtMost(answer.body ?? [], QUERY.maxAnswerBytes);
    if (body === undefined) return { kind: 'away', why: 'the answer is too large' };
    return { kind: 'fetched', status: answer.status, body };
  } catch (error) {
    return { kind: 'away', why: fetchFault(error, timeoutMs) };
  }
}
