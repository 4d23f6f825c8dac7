import { createHash } from 'node:crypto';
import type { Evidence } from '../../../page-contract/evidence.ts';

/** How long Guard remembers an upload, in milliseconds. Recordings are usually sent again soon or never. */
export const PAYLOAD_MEMORY_MS = 60 * 60_000;

/**
 * A digest of the parts of an upload that do not depend on its ticket, as an id for `SessionStore.spend`. Devices of
 * one model give equal readings. But two documents never start in the same millisecond with sources that all take
 * equally long. So when two uploads have one digest, one recording was sent twice.
 */
export function payloadDigest(evidence: Evidence): string {
  const { readings, tookMs, ...rest } = evidence;
  const { cascade, witnesses, answers, ...ownReadings } = readings;
  // The order of a record's entries must not change the digest.
  const timings = Object.entries(tookMs).sort(([one], [other]) => (one < other ? -1 : 1));
  const hasValues = [cascade, witnesses, answers].map((reading) => 'value' in reading);
  const text = JSON.stringify([rest, ownReadings, timings, hasValues]);
  return `payload:${createHash('sha256').update(text).digest('base64url')}`;
}
