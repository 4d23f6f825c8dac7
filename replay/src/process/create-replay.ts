import type { QueryOutcome, Replay, RunQuery } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { replayChange } from './replay-change.ts';

/** Creates the Replay port. `query` reads the events. */
export function createReplay(currentSettings: () => Settings, query: RunQuery): Replay {
  return (question) => {
    const { organisation, authorization } = question;
    return replayChange({
      ...question,
      settings: currentSettings(),
      ask: async (sql, signal) => textOf(await query({ organisation, authorization, sql, signal })),
    });
  };
}

/** When there is no answer, throws an Error whose message is a sentence. */
function textOf(outcome: QueryOutcome): string {
  switch (outcome.kind) {
    case 'rows':
      return Buffer.from(outcome.body).toString('utf8');
    case 'too_large':
      return outcome.kind;
    case 'revoked':
      throw new Error('The key is no longer valid.');
    case 'refused':
    case 'database_error':
    case 'unavailable':
      throw new Error(outcome.message);
  }
}
