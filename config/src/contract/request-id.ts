import { randomUUID } from 'node:crypto';

/** The time in hex, kept while the millisecond lasts: writing a large number in hex costs more than the rest. */
let writtenMs = -1;
let written = '';

/** A UUIDv7 of this millisecond (RFC 9562 5.7); ids of one millisecond are not ordered among themselves. */
export function mintRequestId(nowMs: number): string {
  if (nowMs !== writtenMs) {
    const time = nowMs.toString(16).padStart(12, '0');
    written = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
    writtenMs = nowMs;
  }
  return written + randomUUID().slice(15);
}
