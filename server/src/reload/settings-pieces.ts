import { deserialize, serialize } from 'node:v8';
import { PrefixSet, type PrefixWords } from '@guard/config/net/prefix-set';
import { fetchedListsOf, rememberFetchedLists } from '@guard/config/settings/derived/fetched-lists';
import {
  linesOf,
  rememberLinesOf,
  type RuleLines,
} from '@guard/config/settings/derived/rule-lines';
import type { KnownLists } from '@guard/config/settings/lists/list-reading';
import type { FetchedList } from '@guard/config/settings/lists/list-copy';
import type { Organisation, Settings, Site } from '@guard/config/settings/schema';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Pause, Work } from '@guard/config/time/slices';

/**
 * Sends settings from one thread to another in pieces. Each piece is read within a few milliseconds, so that a request
 * waits for one piece at most. A list that several rules share is sent once, and they share it afterwards.
 */

/** The content of one piece. */
type Piece =
  /** The next entries of a long list. The lists come before the rules. */
  | { readonly kind: 'list'; readonly list: number; readonly entries: readonly unknown[] }
  | { readonly kind: 'networks'; readonly list: number; readonly words: PrefixWords }
  | { readonly kind: 'organisations'; readonly organisations: readonly SentOrganisation[] }
  | { readonly kind: 'rules'; readonly rules: readonly SentRule[] }
  | { readonly kind: 'sites'; readonly sites: readonly Site[] }
  | {
      readonly kind: 'rest';
      readonly rest: Rest;
      readonly fetched: readonly FetchedList[];
      readonly from: readonly Source[];
    };

type Rest = Omit<Settings, 'organisations' | 'sites'>;

/** The source of a list (config/src/settings/lists/list-reading.ts). */
interface Source {
  readonly key: string;
  readonly digest: string;
  readonly list: number;
}

/** An organisation without its rules. */
interface SentOrganisation {
  readonly organisation: Organisation;
  readonly lines: RuleLines | undefined;
}

interface SentRule {
  /** The index of the organisation. */
  readonly of: number;
  readonly rule: Rule;
}

/** Most entries in one piece. */
const SIZES = { list: 10_000, organisations: 50, rules: 200, sites: 200 } as const;
/** A shorter list is sent with its rule. */
const LONG_LIST = 1_000;

/** Yields after each piece. `known` are the lists from which the settings were read. */
export function* toPieces(
  settings: Settings,
  known: KnownLists = new Map(),
): Work<Uint8Array<ArrayBuffer>[]> {
  const sent: Uint8Array<ArrayBuffer>[] = [];
  for (const piece of piecesOf(settings, known)) {
    sent.push(new Uint8Array(serialize(piece)));
    yield;
  }
  return sent;
}

function* piecesOf(settings: Settings, known: KnownLists): Iterable<Piece> {
  const { organisations, sites, ...rest } = settings;
  const lists: Lists = new Map();
  const rules = organisations.flatMap((organisation, of) =>
    organisation.rules.map((rule): SentRule => ({
      of,
      rule: { ...rule, match: numbered(rule.match, lists) },
    })),
  );
  const from = [...known].map(([key, { digest, entries }]): Source => {
    const { list } = lists.get(entries) ?? { list: lists.size };
    if (!lists.has(entries)) lists.set(entries, { list, of: undefined });
    return { key, digest, list };
  });
  yield { kind: 'rest', rest, fetched: fetchedListsOf(settings), from };
  for (const [entries, list] of lists) yield* piecesOfList(entries, list);
  for (const part of parts(organisations, SIZES.organisations)) {
    const bare = part.map((organisation): SentOrganisation => ({
      organisation: { ...organisation, rules: [] },
      lines: linesOf(organisation.rules),
    }));
    yield { kind: 'organisations', organisations: bare };
  }
  for (const part of parts(rules, SIZES.rules)) yield { kind: 'rules', rules: part };
  for (const part of parts(sites, SIZES.sites)) yield { kind: 'sites', sites: part };
}

/** The settings in the other thread. */
export interface Arrived {
  readonly settings: Settings;
  readonly lists: KnownLists;
}

/** Builds settings from pieces. Awaits `pause` between two pieces. */
export async function fromPieces(pieces: readonly Uint8Array[], pause: Pause): Promise<Arrived> {
  const arriving = new ArrivingSettings();
  for (const bytes of pieces) {
    // A thread of this process made the piece, so its type is right.
    arriving.add(deserialize(bytes) as Piece);
    await pause();
  }
  return arriving.all();
}

class ArrivingSettings {
  readonly #lists: unknown[][] = [];
  readonly #organisations: Organisation[] = [];
  readonly #sites: Site[] = [];
  #rest: Rest | undefined;
  #fetched: readonly FetchedList[] = [];
  #from: readonly Source[] = [];

  add(piece: Piece): void {
    switch (piece.kind) {
      case 'rest':
        this.#rest = piece.rest;
        this.#fetched = piece.fetched;
        this.#from = piece.from;
        return;
      case 'list':
        for (const entry of piece.entries) (this.#lists[piece.list] ??= []).push(entry);
        return;
      case 'networks':
        // A list with `words` is a list of addresses, so its entries are texts.
        PrefixSet.adopt((this.#lists[piece.list] ?? []) as string[], piece.words);
        return;
      case 'organisations':
        for (const sent of piece.organisations) this.#addOrganisation(sent);
        return;
      case 'rules':
        for (const sent of piece.rules) this.#addRule(sent);
        return;
      case 'sites':
        this.#sites.push(...piece.sites);
    }
  }

  #addOrganisation({ organisation, lines }: SentOrganisation): void {
    this.#organisations.push(organisation);
    if (lines !== undefined) rememberLinesOf(organisation.rules, lines);
  }

  #addRule({ of, rule }: SentRule): void {
    putLists(rule.match, this.#lists);
    this.#organisations[of]?.rules.push(rule);
  }

  all(): Arrived {
    if (this.#rest === undefined) throw new Error('the settings arrived without their beginning');
    const [organisations, sites] = [this.#organisations, this.#sites];
    const settings: Settings = { ...this.#rest, organisations, sites };
    rememberFetchedLists(settings, this.#fetched);
    const lists = this.#from.map(
      ({ key, digest, list }) => [key, { digest, entries: this.#lists[list] ?? [] }] as const,
    );
    return { settings, lists: new Map(lists) };
  }
}

function piecesOfList(entries: readonly unknown[], { list, of }: SentList): Piece[] {
  const sent = parts(entries, SIZES.list).map((part): Piece => ({
    kind: 'list',
    list,
    entries: part,
  }));
  if (of !== 'ip') return sent;
  // The schema of this condition allows only texts.
  const words = PrefixSet.of(entries as readonly string[]).words();
  return [...sent, { kind: 'networks', list, words }];
}

function parts<T>(all: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, part) =>
    all.slice(part * size, (part + 1) * size),
  );
}

/** Conditions that take lists. */
const LISTED = ['ip', 'asn', 'user_agent', 'ja4'] as const;

/** The number of a list that was sent before the rules. */
interface ListNumber {
  readonly list: number;
}

/** The long lists of the rules, each with its number and condition. */
type Lists = Map<readonly unknown[], SentList>;

interface SentList extends ListNumber {
  /** Undefined when the list is part of another list. */
  readonly of: (typeof LISTED)[number] | undefined;
}

/** A copy of the match, with numbers in place of its long lists. */
function numbered(match: Match, lists: Lists): Match {
  const { any, all, not } = match;
  const copy: Record<string, unknown> = {
    ...match,
    ...(any && { any: any.map((inner) => numbered(inner, lists)) }),
    ...(all && { all: all.map((inner) => numbered(inner, lists)) }),
    ...(not && { not: numbered(not, lists) }),
  };
  for (const name of LISTED) {
    const entries = match[name];
    if (entries === undefined || entries.length < LONG_LIST) continue;
    const sent = lists.get(entries) ?? { list: lists.size, of: name };
    lists.set(entries, sent);
    copy[name] = { list: sent.list } satisfies ListNumber;
  }
  // Not a match again before putLists.
  return copy;
}

/** Puts the lists back in place of their numbers. */
function putLists(match: Match, lists: readonly (readonly unknown[])[]): void {
  // In these four conditions `numbered` leaves a list or a number.
  const listed = match as Record<
    (typeof LISTED)[number],
    readonly unknown[] | ListNumber | undefined
  >;
  for (const name of LISTED) {
    const entries = listed[name];
    if (entries !== undefined && 'list' in entries) listed[name] = lists[entries.list] ?? [];
  }
  for (const inner of match.any ?? []) putLists(inner, lists);
  for (const inner of match.all ?? []) putLists(inner, lists);
  if (match.not !== undefined) putLists(match.not, lists);
}
