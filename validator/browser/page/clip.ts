import { LIMITS } from '../../page-contract/limits.ts';

/** Whatever it is, as text within the bounds of the upload. */
export function clip(value: unknown, maxChars: number = LIMITS.textChars): string {
  return typeof value === 'string' ? value.slice(0, maxChars) : '';
}

/** A list of texts within the bounds of the upload. */
export function clipList(values: Iterable<unknown>): string[] {
  return Array.from(values, (value) => clip(value)).slice(0, LIMITS.listItems);
}

/** A number the upload can carry; anything else is 0. */
export function finite(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
