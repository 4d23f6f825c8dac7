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
  /** The list that was read last stays in force. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Asked again and again. Never rejects. */
export type ReadDecisions = () => Promise<DecisionsRead>;

/** `redis` is the store of a place in Redis, and is not needed for another one. */
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
    ? { kind: 'failed', reason: 'it is no list of temporary decisions' }
    : { kind: 'read', decisions };
}
