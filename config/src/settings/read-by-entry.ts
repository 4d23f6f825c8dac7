import type { z } from 'zod';
import { checkContradictions } from './checks/cross-references.ts';
import { findRuleContradictions } from './checks/rule-references.ts';
import { dataFolderIn } from './derived/data-places.ts';
import { rememberFetchedLists } from './derived/fetched-lists.ts';
import { filesOf } from './derived/files-of.ts';
import { rememberLinesOf, rememberRuleLines, type RuleLines } from './derived/rule-lines.ts';
import { type KnownLists, type ListOptions, ListReading, withLists } from './lists/list-reading.ts';
import { createLocator, createProblemList, type Position } from './problems/problem-list.ts';
import type { SettingPath } from './problems/problems.ts';
import { cutEntries, type EntryText } from './reading/cut-entries.ts';
import type { Environment } from './reading/environment.ts';
import { filesNamedIn, plainValue } from './reading/plain-value.ts';
import { readYaml } from './reading/read-yaml.ts';
import { keyOffset, type SettingsNode } from './reading/settings-node.ts';
import { Organisation, Settings, Site } from './schema.ts';
import { Rule } from './sections/rule.ts';
import type { Sliced } from '../time/slices.ts';

/**
 * Reads settings entry by entry, and parses only new entries. An entry is a site, a rule, or an organisation without
 * its rules. An entry with the same text has the same value, unless it names a file or a variable. When something is
 * unusual or wrong, the loader (load.ts) reads the whole text and reports the problems.
 */

/** The entries that one reading keeps for the next one: at most as many as the text has. */
export interface KeptEntries {
  readonly organisations: ReadonlyMap<string, Entry<Organisation>>;
  readonly sites: ReadonlyMap<string, Entry<Site>>;
  readonly rules: ReadonlyMap<string, Entry<Rule>>;
  readonly lists: KnownLists;
}

interface Entry<Read> {
  readonly value: unknown;
  readonly read: Read;
  /** The number of lines between the first line of the text and the start of the value. */
  readonly lines: number;
  /** The lines of the rules in the value. */
  readonly rules: RuleLines;
}

export interface EntrySource {
  readonly baseDir: string;
  readonly env: Environment;
  readonly kept: KeptEntries | undefined;
  /**
   * The most bytes of an entry, of a new list, and of the text outside the entries. When one of them is longer, the
   * loader reads the settings.
   */
  readonly maxBytes: number;
}

export interface ReadByEntry {
  readonly kind: 'loaded';
  readonly settings: Settings;
  readonly files: readonly string[];
  /** The position of a setting that is not in an entry. */
  readonly positionOf: (path: SettingPath) => Position;
  readonly lists: KnownLists;
  readonly kept: KeptEntries;
}

/** Reads the settings, and pauses after each entry. Undefined when the loader has to read the text. */
export function* readByEntry(text: string, source: EntrySource): Sliced<ReadByEntry | undefined> {
  const { baseDir, kept } = source;
  const organisationTexts = cutEntries(text, 'organisations', 0);
  yield;
  const siteTexts = cutEntries(organisationTexts.rest, 'sites', 0);
  yield;
  const root = nodeOf(siteTexts.rest, [], source);
  // A mapping at the top becomes an object without a prototype.
  const value = root && (plainValue(root, baseDir) as Readonly<Record<string, unknown>>);
  if (root?.kind !== 'mapping' || value === undefined) return undefined;
  const options: ListOptions = {
    folder: dataFolderIn(value),
    earlierLists: kept?.lists,
    ...source,
  };
  const lists = new ListReading(options);
  const checkedTop = withLists(lists, () => Settings.safeParse(value));
  if (!checkedTop.success) return undefined;
  yield;
  const locate = createLocator(text);
  const positionOf = (path: SettingPath): Position =>
    locate(organisationTexts.toOriginal(siteTexts.toOriginal(keyOffset(root, path))));
  rememberRuleLines(checkedTop.data, positionOf);

  const entries = new OrganisationEntries(source, lists);
  const organisations: Organisation[] = [...checkedTop.data.organisations];
  const values: unknown[] = [];
  for (const entry of organisationTexts.entries) {
    const organisation = yield* entries.read(entry, (at) => locate(at).line);
    if (organisation === undefined) return undefined;
    organisations.push(organisation.read);
    values.push(organisation.value);
  }
  const sites = new Entries(Site, ['sites'], kept?.sites, source, lists);
  const siteEntries: Entry<Site>[] = [];
  for (const { text: site } of siteTexts.entries) {
    const entry = sites.read(site);
    if (entry === undefined) return undefined;
    siteEntries.push(entry);
    yield;
  }
  const wholeValue = {
    ...value,
    ...(values.length > 0 && { organisations: values }),
    ...(siteEntries.length > 0 && { sites: siteEntries.map((site) => site.value) }),
  };
  if ((yield* checkContradictions(wholeValue)).length > 0) return undefined;
  const settings: Settings = {
    ...checkedTop.data,
    organisations,
    sites: [...checkedTop.data.sites, ...siteEntries.map(({ read }) => read)],
  };
  rememberFetchedLists(settings, lists.fetchedLists);
  const namedFiles = [...filesNamedIn(root, baseDir), ...entries.files, ...sites.files];
  return {
    kind: 'loaded',
    settings,
    files: filesOf(settings, namedFiles, lists.fetchedLists),
    positionOf,
    lists: lists.nextKnown,
    kept: { ...entries.next, sites: sites.next, lists: lists.nextKnown },
  };
}

class OrganisationEntries {
  readonly #organisations: Entries<Organisation>;
  readonly #rules: Entries<Rule>;

  constructor(source: EntrySource, lists: ListReading) {
    const { organisations, rules } = source.kept ?? {};
    this.#organisations = new Entries(
      Organisation,
      ['organisations'],
      organisations,
      source,
      lists,
    );
    this.#rules = new Entries(Rule, ['organisations', 0, 'rules'], rules, source, lists);
  }

  get files(): readonly string[] {
    return [...this.#organisations.files, ...this.#rules.files];
  }

  get next() {
    return { organisations: this.#organisations.next, rules: this.#rules.next };
  }

  /** Reads one entry. `lineAt` gives the line of an offset of the file. */
  *read(
    { text, start }: EntryText,
    lineAt: (offset: number) => number,
  ): Sliced<Entry<Organisation> | undefined> {
    // The result is 0 when no name follows the dash. Then the other names have another indentation, or the entry is in
    // braces.
    const indent = /^ *- +(?=[a-z])/.exec(text)?.[0].length ?? 0;
    const { rest, entries } = cutEntries(text, 'rules', indent);
    const organisation = this.#organisations.read(rest);
    if (organisation === undefined) return undefined;
    yield;
    // Each reading makes a new list, because the lines are stored for each list.
    const rules = [...organisation.read.rules];
    const firstLine = lineAt(start);
    const lines = organisation.rules.rules.map((line) => firstLine + line);
    for (const entry of entries) {
      const rule = this.#rules.read(entry.text);
      if (rule === undefined) return undefined;
      rules.push(rule.read);
      lines.push(lineAt(start + entry.start) + rule.lines);
      yield;
    }
    if (entries.length > 0 && findRuleContradictions(rules, []).length > 0) return undefined;
    rememberLinesOf(rules, { list: firstLine + organisation.rules.list, rules: lines });
    return { ...organisation, read: { ...organisation.read, rules } };
  }
}

class Entries<Read> {
  readonly next = new Map<string, Entry<Read>>();
  readonly files = new Set<string>();
  readonly #schema: z.ZodType<Read>;
  readonly #path: SettingPath;
  readonly #earlierEntries: ReadonlyMap<string, Entry<Read>> | undefined;
  readonly #source: EntrySource;
  readonly #lists: ListReading;
  /** Parsed entries that name files or variables. Several entries can have the same text. */
  readonly #parsedEntries = new Map<string, ParsedEntry>();

  /** `path` is the path of the list. */
  constructor(
    schema: z.ZodType<Read>,
    path: SettingPath,
    earlierEntries: ReadonlyMap<string, Entry<Read>> | undefined,
    source: EntrySource,
    lists: ListReading,
  ) {
    this.#schema = schema;
    this.#path = path;
    this.#earlierEntries = earlierEntries;
    this.#source = source;
    this.#lists = lists;
  }

  read(text: string): Entry<Read> | undefined {
    const knownEntry = this.next.get(text) ?? this.#earlierEntries?.get(text);
    if (knownEntry !== undefined) {
      // The key is a part of the new text. The old key would keep the whole old text in memory.
      this.next.set(text, knownEntry);
      return knownEntry;
    }
    const parsed = this.#parsedEntries.get(text) ?? this.#parse(text);
    if (parsed === undefined) return undefined;
    const { uses } = this.#lists;
    const result = withLists(this.#lists, () => this.#schema.safeParse(parsed.value));
    if (!result.success) return undefined;
    const entry: Entry<Read> = { ...parsed, read: result.data };
    // An escape can mean a dollar sign or a brace. A backslash at the end of a line joins two lines.
    const isFixed = parsed.files.length === 0 && !/\$\{|\\[xuU\r\n]/.test(text);
    const isSure = isFixed && uses === this.#lists.uses;
    if (isSure) this.next.set(text, entry);
    else this.#parsedEntries.set(text, parsed);
    for (const file of parsed.files) this.files.add(file);
    return entry;
  }

  #parse(text: string): ParsedEntry | undefined {
    if (text.length > this.#source.maxBytes) return undefined;
    const root = nodeOf(text, this.#path, this.#source);
    if (root?.kind !== 'list' || root.items.length !== 1) return undefined;
    const { baseDir } = this.#source;
    const [value] = plainValue(root, baseDir, this.#path) as readonly unknown[];
    const linesTo = (...path: SettingPath) =>
      text.slice(0, keyOffset(root, [0, ...path])).split('\n').length - 1;
    const [item] = root.items;
    const rules = item?.kind === 'mapping' ? item.entries.get('rules')?.node : undefined;
    const ruleLines =
      rules?.kind === 'list' ? rules.items.map((_, at) => linesTo('rules', at)) : [];
    return {
      value,
      files: filesNamedIn(root, baseDir, this.#path),
      lines: linesTo(),
      rules: { list: linesTo('rules'), rules: ruleLines },
    };
  }
}

interface ParsedEntry extends Omit<Entry<unknown>, 'read'> {
  readonly files: readonly string[];
}

/**
 * Reads the node of one entry. Undefined when the entry has a problem, or when the entry cannot be read alone: a
 * directive applies to all entries, and a block list cannot be inside a mapping in braces.
 */
function nodeOf(text: string, path: SettingPath, source: EntrySource): SettingsNode | undefined {
  if (text.length > source.maxBytes || /^%/m.test(text)) return undefined;
  const problems = createProblemList('', createLocator(''));
  const root = readYaml(text, source.env, problems, { path, takesAliases: false });
  const isSafe = problems.sorted().length === 0 && root !== undefined && text[root.start] !== '{';
  return isSafe ? root : undefined;
}
