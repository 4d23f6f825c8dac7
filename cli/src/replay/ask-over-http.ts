import type { Ask } from '@guard/replay';
import { type EventsAccess, postQuery } from '../running-guard/query-events.ts';

const ANSWER_TIMEOUT_MS = 40_000;

/** Asks a running Guard over `POST /query`. Rejects with the error of the server. The error never contains the key. */
export function askOver(access: EventsAccess): Ask {
  const { url } = access;
  return async (sql) => {
    const answer = await postQuery(access, sql, ANSWER_TIMEOUT_MS);
    if (answer.kind === 'away') throw new Error(`${url}: ${answer.why}`);
    const { status } = answer;
    const text = answer.body.toString();
    if (status === 200) return text;
    if (status === 502 && text.includes('larger than 4 MiB')) return 'too_large';
    const reason = status === 401 ? 'the key is not valid' : text.trim().slice(0, 300);
    throw new Error(`${url} answered ${status}: ${reason}`);
  };
}
