import { LIMITS } from '../../page-contract/limits.ts';

/** A text, cut to the limit of the upload. Any other value becomes empty. */
export function clip(value: unknown, maxChars: number = LIMITS.textChars): string {
  return typeof value === 'string' ? value.slice(0, maxChars) : '';
}

/** A list of texts. The list and each text are cut to the limits of the upload. */
export function clipList(values: Iterable<unknown>): string[] {
  return Array.from(values, (value) => clip(value)).slice(0, LIMITS.listItems);
}

/** A number that the upload can contain. Any other value becomes 0. */
export function finite(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
