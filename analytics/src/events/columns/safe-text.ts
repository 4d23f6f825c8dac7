/**
 * A text that the table can store: well-formed and of at most `maxLength` UTF-16 code units. A visitor can send a lone
 * surrogate in a header. It has no UTF-8 form, so the database would refuse the whole batch.
 */
export function safeText(value: string, maxLength: number): string {
  if (value.length > maxLength) return value.slice(0, maxLength).toWellFormed();
  return value.isWellFormed() ? value : value.toWellFormed();
}

/** A whole number from 0 to `max`. Fractions are cut off, and NaN becomes 0. */
export function safeCount(value: number, max: number): number {
  if (!(value > 0)) return 0;
  return value > max ? max : Math.trunc(value);
}
