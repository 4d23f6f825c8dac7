import { parseJson } from '@guard/config/contract/json';
import { readRange } from '@guard/config/net/address';

/** The entries of a published list as written, or the reason why the text is not such a list. */
type PublishedRanges =
  | { readonly kind: 'parsed'; readonly entries: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** The longest known list has a few thousand entries. */
const MAX_ENTRIES = 100_000;

/**
 * Parses a published list: `prefixes` with `ipv4Prefix` and `ipv6Prefix` (Google's form), arrays of addresses, objects
 * of such arrays, or one address per line. A list with one invalid entry is refused, because the text can be something
 * else, such as an error page.
 */
export function parsePublished(text: string): PublishedRanges {
  const body = text.replace(/^\uFEFF/, '').trim();
  if (body.startsWith('<')) return refuse('a web page, not a list');
  const entries = /^[[{]/.test(body) ? entriesOfJson(body) : entriesOfLines(body);
  if (typeof entries === 'string') return refuse(entries);
  if (entries.length === 0) return refuse('a list without entries');
  if (entries.length > MAX_ENTRIES) return refuse(`a list of more than ${MAX_ENTRIES} entries`);
  const invalidIndex = entries.findIndex((entry) => readRange(entry) === undefined);
  if (invalidIndex !== -1)
    return refuse(`entry ${invalidIndex + 1} of ${entries.length} is no address`);
  return { kind: 'parsed', entries };
}

function refuse(reason: string): PublishedRanges {
  return { kind: 'refused', reason };
}

/** The entries of a text with one entry per line. `#` starts a comment. */
function entriesOfLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** The entries of a JSON text. When the JSON is not a list, the result is the reason as a string. */
function entriesOfJson(text: string): string[] | string {
  const value = parseJson(text);
  if (value === undefined) return 'invalid JSON, which may be cut off';
  if (Array.isArray(value)) return entriesOfArray(value);
  if (typeof value !== 'object' || value === null) return UNKNOWN_FORM;
  const members: Readonly<Record<string, unknown>> = { ...value };
  const knownMember = members['prefixes'] ?? members['ips'];
  if (Array.isArray(knownMember)) return entriesOfArray(knownMember);
  // Some lists have arrays for regions or purposes. Members that are not arrays are, for example, a date or a version.
  const arrays = Object.values(members).filter((member) => Array.isArray(member));
  if (arrays.length === 0) return UNKNOWN_FORM;
  const lists = arrays.map(entriesOfArray);
  return lists.find((list) => typeof list === 'string') ?? lists.flat();
}

const UNKNOWN_FORM = 'JSON of a form that is not known';

const ADDRESS_MEMBERS = ['ipv4Prefix', 'ipv6Prefix', 'ip_address'] as const;

function entriesOfArray(items: readonly unknown[]): string[] | string {
  const entries: string[] = [];
  for (const item of items) {
    const addresses = typeof item === 'string' ? [item] : addressesOf(item);
    if (addresses.length === 0) return UNKNOWN_FORM;
    entries.push(...addresses);
  }
  return entries;
}

function addressesOf(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return [];
  const members: Readonly<Record<string, unknown>> = { ...item };
  return ADDRESS_MEMBERS.flatMap((name) => {
    const value = members[name];
    return typeof value === 'string' ? value : [];
  });
}
