/**
 * Values in statements. A value may come from a visitor, and the gate in front of the database
 * lets any string pass: what is quoted here must be one string and nothing else.
 */

/** A string literal. */
export function quote(value: string): string {
  const escaped = value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

/** A time in milliseconds since 1970, to compare with created_at. */
export function moment(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.trunc(ms)})`;
}
