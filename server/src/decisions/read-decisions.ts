import type { SharedPlace } from '@guard/config/settings/derived/data-places';
import {
  MAX_DECISIONS_LENGTH,
  readDecisions,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { createReadText, type SharedTextOptions } from '../store/shared-text.ts';

export type DecisionsRead =
  | { readonly kind: 'read'; readonly decisions: readonly TemporaryDecision[] }
  /** Nothing changed since the last `read`. */
  | { readonly kind: 'same' }
  /** The last list stays in use. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Reads the list. Called regularly. Never rejects. */
export type ReadDecisions = () => Promise<DecisionsRead>;

/** `redis` is needed only if the list is in Redis. */
export function createReadDecisions(
  place: SharedPlace,
  redis: SharedTextOptions['redis'],
): ReadDecisions {
  const read = createReadText({ place, name: 'decisions', redis }, 4 * MAX_DECISIONS_LENGTH);
  return async () => {
    const held = await read();
    return held.kind === 'read' ? parsed(held.text) : held;
  };
}

function parsed(text: string): DecisionsRead {
  const decisions = readDecisions(text);
  return decisions === undefined
    ? { kind: 'failed', reason: 'the text is no list of temporary decisions' }
    : { kind: 'read', decisions };
}
