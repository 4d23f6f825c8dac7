import { hash } from 'node:crypto';

/**
 * From this many entries on, a list is written as its digest. Thousands of rules can share a list of 100,000 entries.
 */
const LONG_LIST = 1_000;

/** Cached, because a list in memory never changes. */
const digests = new WeakMap<readonly unknown[], string>();

/** Settings as JSON, as the input of digests. Equal settings have the same text in every thread and instance. */
export function settingsText(value: unknown): string {
  return JSON.stringify(value, withoutLongLists);
}

function withoutLongLists(_name: string, value: unknown): unknown {
  return Array.isArray(value) && value.length >= LONG_LIST && !isOfObjects(value)
    ? digestOf(value)
    : value;
}

function isOfObjects([first]: readonly unknown[]): boolean {
  return typeof first === 'object';
}

function digestOf(list: readonly unknown[]): string {
  const cachedDigest = digests.get(list);
  if (cachedDigest !== undefined) return cachedDigest;
  const digest = hash('sha256', JSON.stringify(list), 'hex');
  digests.set(list, digest);
  return digest;
}
