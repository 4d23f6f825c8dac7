import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn for many ids at once: one call to the system costs more than an id. */
const POOL_BYTES = 4096;
const RANDOM_PER_ID = 10;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** A UUIDv7 (RFC 9562): ids of one millisecond are not ordered among themselves. */
export function mintRequestId(nowMs: number): string {
  if (used + RANDOM_PER_ID > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const time = nowMs.toString(16).padStart(12, '0').slice(-12);
  const random = pool.toString('hex', used, used + RANDOM_PER_ID);
  used += RANDOM_PER_ID;
  const variant = '89ab'[Number.parseInt(random[3] ?? '0', 16) & 3] ?? '8';
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
