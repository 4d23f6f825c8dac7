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
import type { Pause, Sliced } from '@guard/config/time/slices';

/**
 * Sends settings from one thread to another in pieces. Each piece is read within a few milliseconds, so that a request
 * waits for one piece at most. A list that several rules share is sent once, and the rules still share it in the other
 * thread.
 */

type Piece =
  /** The next entries of a long list. The lists come before the rules. */
  | { readonly kind: 'list'; readonly list: number; readonly entries: readonly unknown[] }
  | { readonly kind: 'networks'; readonly list: number; readonly words: PrefixWords }
  | { readonly kind: 'organisations'; readonly organisations: readonly SentOrganisation[] }
  | { readonly kind: 'rules'; readonly rules: readonly SentRule[] }
  | { readonly kind: 'sites'; readonly sites: readonly Site[] }
  | {
      readonly kind: 'rest';
      readonly rest: OtherSettings;
      readonly fetched: readonly FetchedList[];
      readonly listSources: readonly ListSource[];
    };

type OtherSettings = Omit<Settings, 'organisations' | 'sites'>;

/** The source of a list (config/src/settings/lists/list-reading.ts). */
interface ListSource {
  readonly key: string;
  readonly digest: string;
  readonly list: number;
}

interface SentOrganisation {
  readonly organisation: Organisation;
  readonly lines: RuleLines | undefined;
}

interface SentRule {
  readonly organisationIndex: number;
  readonly rule: Rule;
}

/** The maximum number of entries in one piece. */
const PIECE_SIZES = { list: 10_000, organisations: 50, rules: 200, sites: 200 } as const;
/** A list with fewer entries is sent with its rule. */
const LONG_LIST = 1_000;

/** Yields the pieces of settings one after the other. `knownLists` are the lists from which the settings were read. */
export function* toPieces(
  settings: Settings,
  knownLists: KnownLists = new Map(),
): Sliced<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (const piece of piecesOf(settings, knownLists)) {
    pieces.push(new Uint8Array(serialize(piece)));
    yield;
  }
  return pieces;
}

function* piecesOf(settings: Settings, knownLists: KnownLists): Iterable<Piece> {
  const { organisations, sites, ...rest } = settings;
  const lists: SentLists = new Map();
  const rules = organisations.flatMap((organisation, organisationIndex) =>
    organisation.rules.map((rule): SentRule => ({
      organisationIndex,
      rule: { ...rule, match: withListNumbers(rule.match, lists) },
    })),
  );
  const listSources = [...knownLists].map(([key, { digest, entries }]): ListSource => {
    const { list } = lists.get(entries) ?? { list: lists.size };
    if (!lists.has(entries)) lists.set(entries, { list, condition: undefined });
    return { key, digest, list };
  });
  yield { kind: 'rest', rest, fetched: fetchedListsOf(settings), listSources };
  for (const [entries, list] of lists) yield* piecesOfList(entries, list);
  for (const part of partsOf(organisations, PIECE_SIZES.organisations)) {
    const sentOrganisations = part.map((organisation): SentOrganisation => ({
      organisation: { ...organisation, rules: [] },
      lines: linesOf(organisation.rules),
    }));
    yield { kind: 'organisations', organisations: sentOrganisations };
  }
  for (const part of partsOf(rules, PIECE_SIZES.rules)) yield { kind: 'rules', rules: part };
  for (const part of partsOf(sites, PIECE_SIZES.sites)) yield { kind: 'sites', sites: part };
}

interface ReceivedSettings {
  readonly settings: Settings;
  readonly lists: KnownLists;
}

/** Builds settings from pieces. Awaits `pause` between two pieces. */
export async function fromPieces(
  pieces: readonly Uint8Array[],
  pause: Pause,
): Promise<ReceivedSettings> {
  const receiver = new SettingsReceiver();
  for (const bytes of pieces) {
    // The cast is safe, because a thread of this process made the piece.
    receiver.add(deserialize(bytes) as Piece);
    await pause();
  }
  return receiver.result();
}

class SettingsReceiver {
  readonly #lists: unknown[][] = [];
  readonly #organisations: Organisation[] = [];
  readonly #sites: Site[] = [];
  #otherSettings: OtherSettings | undefined;
  #fetchedLists: readonly FetchedList[] = [];
  #listSources: readonly ListSource[] = [];

  add(piece: Piece): void {
    switch (piece.kind) {
      case 'rest':
        this.#otherSettings = piece.rest;
        this.#fetchedLists = piece.fetched;
        this.#listSources = piece.listSources;
        return;
      case 'list':
        for (const entry of piece.entries) (this.#lists[piece.list] ??= []).push(entry);
        return;
      case 'networks':
        // A list with `words` is a list of addresses, so the cast of its entries is safe.
        PrefixSet.adopt((this.#lists[piece.list] ?? []) as string[], piece.words);
        return;
      case 'organisations':
        for (const organisation of piece.organisations) this.#addOrganisation(organisation);
        return;
      case 'rules':
        for (const rule of piece.rules) this.#addRule(rule);
        return;
      case 'sites':
        this.#sites.push(...piece.sites);
    }
  }

  #addOrganisation({ organisation, lines }: SentOrganisation): void {
    this.#organisations.push(organisation);
    if (lines !== undefined) rememberLinesOf(organisation.rules, lines);
  }

  #addRule({ organisationIndex, rule }: SentRule): void {
    putLists(rule.match, this.#lists);
    this.#organisations[organisationIndex]?.rules.push(rule);
  }

  result(): ReceivedSettings {
    if (this.#otherSettings === undefined)
      throw new Error('the settings arrived without their beginning');
    const [organisations, sites] = [this.#organisations, this.#sites];
    const settings: Settings = { ...this.#otherSettings, organisations, sites };
    rememberFetchedLists(settings, this.#fetchedLists);
    const lists = this.#listSources.map(
      ({ key, digest, list }) => [key, { digest, entries: this.#lists[list] ?? [] }] as const,
    );
    return { settings, lists: new Map(lists) };
  }
}

function piecesOfList(entries: readonly unknown[], { list, condition }: SentList): Piece[] {
  const listPieces = partsOf(entries, PIECE_SIZES.list).map((part): Piece => ({
    kind: 'list',
    list,
    entries: part,
  }));
  if (condition !== 'ip') return listPieces;
  // The cast is safe, because the schema of this condition allows only texts.
  const words = PrefixSet.of(entries as readonly string[]).words();
  return [...listPieces, { kind: 'networks', list, words }];
}

function partsOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}

const LIST_CONDITIONS = ['ip', 'asn', 'user_agent', 'ja4'] as const;

/** The number of a list that was sent before the rules. */
interface ListNumber {
  readonly list: number;
}

/** The long lists of the rules, each with its number and condition. */
type SentLists = Map<readonly unknown[], SentList>;

interface SentList extends ListNumber {
  /** The condition that has the list. Undefined when the list is part of another list. */
  readonly condition: (typeof LIST_CONDITIONS)[number] | undefined;
}

/** Copies the match with numbers in place of its long lists. */
function withListNumbers(match: Match, lists: SentLists): Match {
  const { any, all, not } = match;
  const copy: Record<string, unknown> = {
    ...match,
    ...(any && { any: any.map((inner) => withListNumbers(inner, lists)) }),
    ...(all && { all: all.map((inner) => withListNumbers(inner, lists)) }),
    ...(not && { not: withListNumbers(not, lists) }),
  };
  for (const name of LIST_CONDITIONS) {
    const entries = match[name];
    if (entries === undefined || entries.length < LONG_LIST) continue;
    const sentList = lists.get(entries) ?? { list: lists.size, condition: name };
    lists.set(entries, sentList);
    copy[name] = { list: sentList.list } satisfies ListNumber;
  }
  // The copy has the right type only after putLists has replaced the numbers.
  return copy;
}

function putLists(match: Match, lists: readonly (readonly unknown[])[]): void {
  // The cast is safe: after `withListNumbers` these four conditions have a list or a number.
  const matchLists = match as Record<
    (typeof LIST_CONDITIONS)[number],
    readonly unknown[] | ListNumber | undefined
  >;
  for (const name of LIST_CONDITIONS) {
    const entries = matchLists[name];
    if (entries !== undefined && 'list' in entries) matchLists[name] = lists[entries.list] ?? [];
  }
  for (const inner of match.any ?? []) putLists(inner, lists);
  for (const inner of match.all ?? []) putLists(inner, lists);
  if (match.not !== undefined) putLists(match.not, lists);
}
