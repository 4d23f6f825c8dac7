import { readJson } from '@guard/config/contract/json';
import type { z } from 'zod';
import { type FetchOutcome, fetchAnswer } from './fetch-answer.ts';

/** The environment variable for the key. A command-line option would be visible in process lists. */
export const KEY_VARIABLE = 'GUARD_ANALYTICS_KEY';

export interface EventsAccess {
  /** The URL of the API, such as `http://127.0.0.1:8082`. */
  readonly url: string;
  /** An analytics key (contract 5). */
  readonly key: string;
}

export type EventRows<T> =
  | { readonly kind: 'rows'; readonly rows: readonly T[] }
  /** There are no rows. `why` is a phrase with the reason. */
  | { readonly kind: 'refused'; readonly why: string };

/** Sends one statement to `POST /query` (contract 4.3). Never rejects. */
export function postQuery(
  { url, key }: EventsAccess,
  sql: string,
  timeoutMs: number,
): Promise<FetchOutcome> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
  return fetchAnswer(new URL('/query', url), { method: 'POST', headers, body: sql }, timeoutMs);
}

/** The meaning of a status other than 200, as a phrase. A prefix of ClickHouse in the text is removed. */
export function refusalOf({ url }: EventsAccess, status: number, text: string): string {
  if (status === 401) return 'the analytics key is not valid: it is unknown, revoked or expired';
  const message = text.trim().replace(/^Code: \d+\. (?:DB::Exception: )*/, '');
  return message === '' ? `${url} answered ${status}` : message;
}

/** Runs one statement over `POST /query` and reads its rows. Never rejects. */
export async function queryEvents<T>(
  { url, key }: EventsAccess,
  sql: string,
  row: z.ZodType<T>,
  timeoutMs: number,
): Promise<EventRows<T>> {
  const answer = await postQuery({ url, key }, `${sql} FORMAT JSONEachRow`, timeoutMs);
  if (answer.kind === 'away') return { kind: 'refused', why: answer.why };
  if (answer.status === 401) return { kind: 'refused', why: 'the analytics key is not valid' };
  if (answer.status !== 200) {
    const message = answer.body.toString().trim().slice(0, 200);
    return { kind: 'refused', why: `${url} answered ${answer.status}: ${message}` };
  }
  const rows: T[] = [];
  for (const line of answer.body.toString().split('\n')) {
    if (line === '') continue;
    const parsedRow = readJson(row, line);
    if (parsedRow === undefined)
      return { kind: 'refused', why: `${url} answered what is no event` };
    rows.push(parsedRow);
  }
  return { kind: 'rows', rows };
}
