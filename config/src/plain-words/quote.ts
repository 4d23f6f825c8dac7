/**
 * Writes values into SQL statements. A value may come from a visitor, and the gate accepts any string literal. So the
 * result must be exactly one literal.
 */

/** Returns the value as a string literal. */
export function quote(value: string): string {
  const escaped = value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

/** Returns a time in milliseconds since 1970 as SQL, to compare with created_at. */
export function moment(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.trunc(ms)})`;
}
