import { readRange } from '../../net/address.ts';
import type { Sliced } from '../../time/slices.ts';

/** The kind of a list's entries, named by the condition that uses them. */
export type ListKind = 'ip' | 'asn' | 'user_agent' | 'ja4';

export interface ListEntries {
  readonly ip: string;
  readonly asn: number;
  readonly user_agent: string;
  readonly ja4: string;
}

/** Largest list, in bytes. */
export const MAX_LIST_BYTES = 8 * 1024 * 1024;
/**
 * The most entries of one list. User-Agent patterns have a low limit, because each request is compared with each
 * pattern. 1,000 patterns take about 40 µs.
 */
export const MAX_ENTRIES: Readonly<Record<ListKind, number>> = {
  ip: 250_000,
  asn: 250_000,
  user_agent: 1_000,
  ja4: 250_000,
};

/** A JA4 fingerprint in the form that Guard computes (gateway/src/tls/ja4.ts). */
const JA4 = /^t(?:1[0-3]|s[23]|00)[di]\d{4}[0-9A-Za-z]{2}_[0-9a-f]{12}_[0-9a-f]{12}$/;
export const EXPECTED_JA4 =
  'expected a JA4 fingerprint, such as t13d1516h2_8daaf6152771_d8a2da3f94cd';

export function isJa4(text: string): boolean {
  return JA4.test(text);
}

const MAX_ASN = 4_294_967_295;

interface ListForm<Entry> {
  readonly expected: string;
  /** Matches the start of a comment. */
  readonly comment: RegExp;
  /** Reads one entry. Undefined for text that is not an entry. */
  readonly read: (text: string) => Entry | undefined;
}

const LIST_FORMS: { readonly [Kind in ListKind]: ListForm<ListEntries[Kind]> } = {
  ip: {
    expected: 'expected an IP address or a CIDR range',
    comment: /[#;]/,
    read: (text) => (readRange(text) === undefined ? undefined : text),
  },
  asn: {
    expected: 'expected the number of an autonomous system, such as AS64496 or 64496',
    comment: /[#;]/,
    read(text) {
      const number = Number(/^(?:AS)?(\d{1,10})$/i.exec(text)?.[1]);
      return number >= 1 && number <= MAX_ASN ? number : undefined;
    },
  },
  user_agent: {
    expected: 'expected a pattern of 1 to 1024 characters',
    // A User-Agent can contain a #, so a comment must be on its own line.
    comment: /^\s*#/,
    read: (text) => (text.length <= 1024 ? text : undefined),
  },
  ja4: {
    expected: EXPECTED_JA4,
    comment: /[#;]/,
    read: (text) => (isJa4(text) ? text : undefined),
  },
};

export interface BadLine {
  /** The number of the line, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** The maximum number of invalid lines that are shown. Further invalid lines are only counted. */
const MAX_BAD_LINES = 5;

export type ParsedList<Entry> =
  | { readonly kind: 'parsed'; readonly entries: readonly Entry[] }
  /** Some lines are invalid. `lines` has the first ones. */
  | {
      readonly kind: 'bad_lines';
      readonly lines: readonly BadLine[];
      readonly badLineCount: number;
      readonly expected: string;
    }
  | { readonly kind: 'too_long'; readonly maxEntries: number };

/** Number of lines between two pauses. Parsing a list of 8 MiB takes some tenths of a second. */
const LINES_A_STEP = 1_000;

/** Parses a list: one entry per line, with optional comments and blank lines. The list can be empty. */
export function* parseList<Kind extends ListKind>(
  text: string,
  kind: Kind,
): Sliced<ParsedList<ListEntries[Kind]>> {
  const { expected, comment, read }: ListForm<ListEntries[Kind]> = LIST_FORMS[kind];
  const maxEntries = MAX_ENTRIES[kind];
  const entries: ListEntries[Kind][] = [];
  const badLines: BadLine[] = [];
  let badLineCount = 0;
  let line = 0;
  let lineStart = 0;
  while (lineStart <= text.length) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const lineText = text.slice(lineStart, lineEnd);
    lineStart = lineEnd + 1;
    line += 1;
    if (line % LINES_A_STEP === 0) yield;
    const end = lineText.search(comment);
    const entry = (end === -1 ? lineText : lineText.slice(0, end)).trim();
    if (entry === '') continue;
    const value = read(entry);
    if (value === undefined) {
      badLineCount += 1;
      if (badLines.length < MAX_BAD_LINES) badLines.push({ line, text: entry });
    } else {
      if (entries.length === maxEntries) return { kind: 'too_long', maxEntries: maxEntries };
      entries.push(value);
    }
  }
  if (badLineCount > 0) return { kind: 'bad_lines', lines: badLines, badLineCount, expected };
  return { kind: 'parsed', entries };
}
