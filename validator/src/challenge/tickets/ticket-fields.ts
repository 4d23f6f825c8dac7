/**
 * The fields of a ticket as bytes. The length precedes each field: `4:acme`. Without lengths, two different tickets
 * could have the same bytes and the same MAC.
 */

const SEPARATOR = 0x3a;
const MAX_LENGTH_DIGITS = 4;

export function writeFields(fields: readonly string[]): Buffer {
  return Buffer.from(fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join(''));
}

/** Reads bytes that writeFields wrote. Undefined for all other bytes. */
export function readFields(bytes: Buffer): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const separator = bytes.subarray(at, at + MAX_LENGTH_DIGITS + 1).indexOf(SEPARATOR);
    if (separator === -1) return undefined;
    const digits = bytes.toString('latin1', at, at + separator);
    if (!/^(?:0|[1-9]\d*)$/.test(digits)) return undefined;
    const start = at + separator + 1;
    const end = start + Number(digits);
    if (end > bytes.length) return undefined;
    fields.push(bytes.toString('utf8', start, end));
    at = end;
  }
  return fields;
}
