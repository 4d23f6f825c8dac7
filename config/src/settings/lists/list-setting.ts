import { z } from 'zod';
import { isLoopbackHost } from '../../net/special-address.ts';
import { Duration } from '../values/values.ts';
import { currentLists, type ListOutcome } from './list-reading.ts';
import type { ListEntries, ListKind } from './list-text.ts';

const LEAST_EVERY_MS = 5 * 60_000;
const DEFAULT_EVERY_MS = 3_600_000;

/** The schema for a URL from which Guard fetches data. `what` is the noun for the data in messages. */
export function publishedUrl(what: string) {
  const expected = `expected https:// and ${what}, without user and password; http:// is for this machine alone`;
  return z.string().max(2048).refine(isPublishedUrl, expected);
}

/**
 * Whether Guard may fetch from this URL. Plain http is allowed only for URLs on this machine. On the way from another
 * machine, the list could be changed.
 */
function isPublishedUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function mustBeAbsent(message: string) {
  return z
    .unknown()
    .refine((value) => value === undefined, message)
    .optional();
}

const FileReference = z.strictObject({
  file: z.string().min(1),
  url: mustBeAbsent('expected either a file or a url'),
  every: mustBeAbsent('expected every beside a url only: a file is read when it changes'),
});

const UrlReference = z.strictObject({
  url: publishedUrl('a list'),
  every: Duration.refine(
    (ms) => ms >= LEAST_EVERY_MS,
    'expected a duration of at least 5m',
  ).default(DEFAULT_EVERY_MS),
});

/** `{ file: … }` or `{ url: …, every: … }`, transformed into the entries of the list. */
function listOf<Kind extends ListKind>(kind: Kind) {
  type Entries = readonly ListEntries[Kind][];
  return z.union([
    FileReference.transform(({ file }, context): Entries => {
      // An unknown name was already reported, but must not end the checks.
      if (context.issues.length > 0) return [];
      return entriesOf(currentLists().readFile(kind, file), 'file', context);
    }),
    UrlReference.transform(({ url, every }, context): Entries => {
      if (context.issues.length > 0) return [];
      return entriesOf(currentLists().readUrl(kind, url, every), 'url', context);
    }),
  ]);
}

/** The parameters of a zod issue about invalid lines, for faults.ts. */
export type BadLines = Extract<ListOutcome<unknown>, { readonly kind: 'bad_lines' }>;

function entriesOf<Entry>(
  list: ListOutcome<Entry>,
  name: 'file' | 'url' | undefined,
  context: z.RefinementCtx,
): readonly Entry[] {
  switch (list.kind) {
    case 'read':
      return list.entries;
    case 'refused':
      context.addIssue({ code: 'custom', path: name ? [name] : [], message: list.message });
      return [];
    case 'bad_lines':
      context.addIssue({ code: 'custom', message: list.expected, params: { badLines: list } });
      return [];
  }
}

/**
 * One entry, a list of a file or a URL, or several of them. The result is one list of all entries. The entries of a
 * list are checked when it is read (list-text.ts), because a schema for each of 100,000 entries would take four times
 * as long.
 */
export function entriesFrom<Kind extends ListKind, T extends z.ZodType>(kind: Kind, entry: T) {
  type Entries = readonly (z.output<T> | ListEntries[Kind])[];
  const singleEntry = entry.transform((value): Entries => [value]);
  const list = listOf(kind);
  const severalParts = z
    .array(z.union([singleEntry, list]))
    .min(1)
    .transform((parts, context): Entries =>
      entriesOf(currentLists().join(kind, parts), undefined, context),
    );
  return z.union([singleEntry, list, severalParts]);
}
