import type { SharedPlace } from '@guard/config/settings/derived/data-places';
import {
  MAX_DECISIONS_LENGTH,
  readDecisions,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { createReadText, type SharedTextOptions } from '../store/shared-text.ts';

export type DecisionsReading =
  | { readonly kind: 'read'; readonly decisions: readonly TemporaryDecision[] }
  /** The list has not changed since the last call. */
  | { readonly kind: 'same' }
  /** The list could not be read. The last list stays in use. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Reads the list. It is called regularly, and never rejects. */
export type ReadDecisions = () => Promise<DecisionsReading>;

/** `redis` is needed only if the list is in Redis. */
export function createReadDecisions(
  place: SharedPlace,
  redis: SharedTextOptions['redis'],
): ReadDecisions {
  const read = createReadText({ place, name: 'decisions', redis }, 4 * MAX_DECISIONS_LENGTH);
  return async () => {
    const textReading = await read();
    return textReading.kind === 'read' ? parseDecisions(textReading.text) : textReading;
  };
}

function parseDecisions(text: string): DecisionsReading {
  const decisions = readDecisions(text);
  return decisions === undefined
    ? { kind: 'failed', reason: 'the text is no list of temporary decisions' }
    : { kind: 'read', decisions };
}
