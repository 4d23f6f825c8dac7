/**
 * Writes values into SQL statements. A value may come from a visitor, and the gate accepts any string literal. So the
 * result must be exactly one string literal.
 */

export function quote(value: string): string {
  const escaped = value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

/** SQL for a time in milliseconds since the epoch, to compare with created_at. */
export function moment(ms: number): string {
  return `fromUnixTimestamp64Milli(${Math.trunc(ms)})`;
}
