import { randomBytes } from 'node:crypto';

/** The time in hex, cached for the current millisecond: writing a large number in hex costs more than the rest. */
let writtenMs = -1;
let written = '';

/** Random hex digits of an id: one for the variant, and 18 others. */
const DIGITS = 19;
/** Random digits for 512 ids, drawn at once. A call of node:crypto for each id would cost four times as much. */
let drawn = '';
let used = 0;

/** A UUIDv7 of this millisecond (RFC 9562 5.7). Ids of the same millisecond have no order. */
export function mintRequestId(nowMs: number): string {
  if (nowMs !== writtenMs) {
    const time = nowMs.toString(16).padStart(12, '0');
    written = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
    writtenMs = nowMs;
  }
  if (used === drawn.length) {
    drawn = randomBytes((DIGITS * 512) / 2).toString('hex');
    used = 0;
  }
  const from = used;
  used += DIGITS;
  const code = drawn.charCodeAt(from);
  // The digit holds the two bits of the variant, then two random bits (RFC 9562 4.1). The codes of `a` to `f` are one
  // too low for this.
  const variant = '89ab'.charAt((code + (code >> 6)) & 3);
  const [a, b, c] = [from + 1, from + 4, from + 7];
  return `${written}${drawn.slice(a, b)}-${variant}${drawn.slice(b, c)}-${drawn.slice(c, used)}`;
}
