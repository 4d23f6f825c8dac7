import { randomUUID } from 'node:crypto';

/** A UUIDv7 of this millisecond (RFC 9562 5.7); ids of one millisecond are not ordered among themselves. */
export function mintRequestId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${randomUUID().slice(15)}`;
}
