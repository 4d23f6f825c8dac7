/**
 * Sends queries to the database, at most four at the same time. More queries at a time would only wait at the server.
 */

export type Row = readonly unknown[];

export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

const MAX_RUNNING = 4;
let running = 0;
const waitingTurns: (() => void)[] = [];

/** The error that the sign-in has ended. Then the page shows the sign-in form. */
export class SignedOut extends Error {}

/** Runs a statement that ends with FORMAT JSONCompact. Rejects with a sentence for people. */
export async function ask(sql: string, signal: AbortSignal): Promise<Answer> {
  await waitForTurn(signal);
  try {
    return await send(sql, signal);
  } finally {
    running -= 1;
    waitingTurns.shift()?.();
  }
}

async function waitForTurn(signal: AbortSignal): Promise<void> {
  while (running >= MAX_RUNNING) {
    await new Promise<void>((resolve) => {
      waitingTurns.push(resolve);
    });
  }
  if (signal.aborted) {
    waitingTurns.shift()?.();
    throw new DOMException('No longer needed.', 'AbortError');
  }
  running += 1;
}

/** Rejects with {@link SignedOut} when the sign-in has ended. */
export async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status === 401) throw new SignedOut('Your session has ended.');
  return response;
}

async function send(sql: string, signal: AbortSignal): Promise<Answer> {
  const response = await request('/api/query', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: sql,
    signal,
  });
  const body = await response.text();
  if (!response.ok) throw new Error(body.trim().slice(0, 600) || wordsOf(response.status));
  const { meta, data } = JSON.parse(body) as { meta: { name: string }[]; data: Row[] };
  return { columns: meta.map(({ name }) => name), rows: data };
}

function wordsOf(status: number): string {
  if (status === 429) return 'Too many questions at once. Try again in a moment.';
  return status === 502 || status === 503
    ? 'The database does not answer at the moment, or the answer was too large. Try a shorter period.'
    : `The server answered ${status}.`;
}
