import { createHash } from 'node:crypto';
import type { Evidence } from '../../../page-contract/evidence.ts';

/** How long an upload is remembered, in milliseconds: a template is used again soon, or not at all. */
export const PAYLOAD_MEMORY_MS = 60 * 60_000;

/**
 * A name for everything an upload says that does not depend on its ticket, as an id for
 * `SessionStore.spend`. Devices of one kind read alike, but two documents that began in the same
 * millisecond and whose every source took equally long are one recording, sent twice.
 */
export function payloadDigest(evidence: Evidence): string {
  const { readings, tookMs, ...rest } = evidence;
  const { cascade, witnesses, answers, ...free } = readings;
  // The order in which a record's entries were sent must make no second payload of the same.
  const timings = Object.entries(tookMs).sort(([one], [other]) => (one < other ? -1 : 1));
  const answered = [cascade, witnesses, answers].map((reading) => 'value' in reading);
  const text = JSON.stringify([rest, free, timings, answered]);
  return `payload:${createHash('sha256').update(text).digest('base64url')}`;
}
