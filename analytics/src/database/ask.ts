import type { Database, EngineState } from './engine.ts';
import type { DatabaseAnswer } from './database-client.ts';

/** What came of a question; `undefined` for an answer means that there was nothing to ask. */
export type Asked =
  | {
      readonly kind: 'asked';
      readonly database: Database;
      readonly answer: DatabaseAnswer | undefined;
    }
  | { readonly kind: 'away'; readonly message: string }
  | { readonly kind: 'cancelled' };

/** Restarts that one question outlasts: settings that change all the time must not hold it for ever. */
const MAX_RESTARTS = 3;

/**
 * Asks a database that may be restarting on purpose: waits for it, and asks again what that cut off.
 * So `question` must be one that may be asked twice: it reads, and nothing of a broken answer is used.
 *
 * @param signal ends the waiting.
 */
export async function ask(
  state: () => EngineState,
  signal: AbortSignal | undefined,
  question: (database: Database) => Promise<DatabaseAnswer | undefined>,
): Promise<Asked> {
  for (let restarts = 0; ; restarts += 1) {
    const back = backOf(state());
    if (back !== undefined) await wait(back, signal);
    if (signal?.aborted) return { kind: 'cancelled' };
    const now = state();
    if (now.kind !== 'ready') return { kind: 'away', message: now.message };
    const { database } = now;
    const answer = await question(database);
    const cutOff = answer?.kind === 'failed' && backOf(state()) !== undefined;
    if (!cutOff || restarts === MAX_RESTARTS) return { kind: 'asked', database, answer };
  }
}

function backOf(state: EngineState): Promise<undefined> | undefined {
  return state.kind === 'away' ? state.back : undefined;
}

/** Resolves when `back` does, or early when the signal fires; never rejects. */
function wait(back: Promise<undefined>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal?.removeEventListener('abort', done);
      resolve();
    };
    if (signal?.aborted) done();
    signal?.addEventListener('abort', done, { once: true });
    void back.then(done);
  });
}
