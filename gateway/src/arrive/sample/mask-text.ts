import type { SecretNames } from './secret-names.ts';

/** Stands where a secret stood. */
export const MASK = '***';

/** Nobody can tell where in any text a value ends: from the first name of a secret on nothing is kept. */
export function maskText(text: string, names: SecretNames): string {
  const at = names.firstIn(text);
  return at === -1 ? text : text.slice(0, at) + MASK;
}

/** Whether the name of a secret is nothing more than a name, so that it can be kept. */
export function isShownName(name: string): boolean {
  return /^[\p{L}\p{N}_.$[\]-]{1,64}$/u.test(name);
}
