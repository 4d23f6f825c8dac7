import { type InnerList, parseDictionary } from '../structured-field.ts';

/** Parses a dictionary, and returns its inner list with this label. Throws when there is none. */
export function innerListOf(input: string, label: string): InnerList {
  const member = parseDictionary(input)?.get(label);
  if (member?.kind !== 'list') throw new Error('not an inner list');
  return member;
}
