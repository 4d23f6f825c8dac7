import { randomBytes } from 'node:crypto';

/**
 * The time in hex, cached for the current millisecond: writing a large number in hex takes longer than all other steps.
 */
let writtenMs = -1;
let timePart = '';

/** Random hex digits of an id: one for the variant, and 18 others. */
const DIGITS = 19;
/** Random digits for 512 ids, drawn at once. A call of node:crypto for each id would need four times as much time. */
let randomDigits = '';
let usedDigits = 0;

/** A UUIDv7 of this millisecond (RFC 9562 section 5.7). Ids of the same millisecond have no order. */
export function mintRequestId(nowMs: number): string {
  if (nowMs !== writtenMs) {
    const time = nowMs.toString(16).padStart(12, '0');
    timePart = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
    writtenMs = nowMs;
  }
  if (usedDigits === randomDigits.length) {
    randomDigits = randomBytes((DIGITS * 512) / 2).toString('hex');
    usedDigits = 0;
  }
  const start = usedDigits;
  usedDigits += DIGITS;
  const code = randomDigits.charCodeAt(start);
  // The digit holds the two bits of the variant, then two random bits (RFC 9562 4.1). The character codes of `a` to `f`
  // are one too low for this, so one is added to them.
  const variant = '89ab'.charAt((code + (code >> 6)) & 3);
  const [a, b, c] = [start + 1, start + 4, start + 7];
  return `${timePart}${randomDigits.slice(a, b)}-${variant}${randomDigits.slice(b, c)}-${randomDigits.slice(c, usedDigits)}`;
}
