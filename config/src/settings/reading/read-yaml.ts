import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import type { Pair, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { type Environment, substitute } from './environment.ts';
import { isSecret, shownPath } from './found.ts';
import { findMisplacedLine } from './indentation.ts';
import type { ProblemList } from '../problems/problem-list.ts';
import { isPlainName, quote, type SettingPath } from '../problems/problems.ts';
import type { Entry, SettingsNode } from './settings-node.ts';
import { describeMisplaced, NOT_YAML, syntaxMessage } from './syntax-errors.ts';

/** Deepest nesting. The settings need about ten levels, and nested `any`, `all` and `not` can use the rest. */
const MAX_DEPTH = 64;
/** The most values. Each use of an alias is counted like a copy. */
const MAX_VALUES = 500_000;

/** The message of a syntax error depends on this many characters before and after it. */
const EXCERPT_LENGTH = 200;

interface YamlReading {
  readonly text: string;
  readonly env: Environment;
  readonly problems: ProblemList;
  readonly takesAliases: boolean;
  /** Anchored values that are complete, so an alias cannot be inside its own value. */
  readonly anchors: Map<string, { readonly node: SettingsNode; readonly values: number }>;
  values: number;
}

interface PartOfSettings {
  readonly path: SettingPath;
  /**
   * False when only a part of a file is read: an alias can name an anchor of another part, and all aliases of a file
   * together are limited.
   */
  readonly takesAliases: boolean;
}

const WHOLE_SETTINGS: PartOfSettings = { path: [], takesAliases: true };

/**
 * Reads YAML 1.2 (core schema: dates, `yes` and `no` are text) and fills in `${NAME}`. Merge keys and tags are off, and
 * aliases are bounded. Every mistake is added to `problems`. Returns undefined after a mistake in the syntax, because
 * the text after it could mean anything.
 */
export function readYaml(
  text: string,
  env: Environment,
  problems: ProblemList,
  { path, takesAliases }: PartOfSettings = WHOLE_SETTINGS,
): SettingsNode | undefined {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
  });
  if (!reportSyntaxErrors(document, text, problems)) return undefined;
  const reading = { text, env, problems, takesAliases, anchors: new Map(), values: 0 };
  return readNode(document.contents, path, reading);
}

/**
 * Reports only the first error of each section of the file, because the other errors of the section follow from it. A
 * section begins with a line that is not indented.
 */
function reportSyntaxErrors(
  document: Document.Parsed,
  text: string,
  problems: ProblemList,
): boolean {
  const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  const [firstError] = errors;
  if (firstError === undefined) return true;
  // The parser often reports the line before the faulty line, because it continues the value of that line.
  const nextLine = text.indexOf('\n', firstError.pos[0]) + 1 || text.length;
  const misplaced = findMisplacedLine(text, nextLine);
  // A tab after a dash does not look like indentation.
  if (misplaced !== undefined && firstError.code !== 'TAB_AS_INDENT') {
    problems.add(misplaced.offset, [], ...describeMisplaced(misplaced));
    return false;
  }
  const reportedErrors = firstError.code === 'TAB_AS_INDENT' ? [firstError] : errors;
  let lastOffset = 0;
  let isNewSection = true;
  for (const error of reportedErrors) {
    const [errorOffset] = error.pos;
    isNewSection ||= /\n[^\s#\]}]/.test(text.slice(lastOffset, errorOffset + 1));
    lastOffset = errorOffset;
    if (!isNewSection) continue;
    isNewSection = false;
    const [textBefore = ''] = text
      .slice(Math.max(0, errorOffset - EXCERPT_LENGTH), errorOffset)
      .split('\n')
      .slice(-1);
    const [textAfter = ''] = text.slice(errorOffset, errorOffset + EXCERPT_LENGTH).split('\n', 1);
    problems.add(errorOffset, [], NOT_YAML, syntaxMessage(error.code, textBefore + textAfter));
  }
  return false;
}

function readNode(
  node: Node | ParsedNode | null,
  path: SettingPath,
  reading: YamlReading,
  fallbackStart = 0,
): SettingsNode {
  const start = node?.range?.[0] ?? fallbackStart;
  if (path.length > MAX_DEPTH) {
    return refuse(reading, start, path, 'deep nesting', `expected at most ${MAX_DEPTH} levels`);
  }
  if (isAlias(node)) return readAlias(node.source, start, path, reading);
  const valuesBefore = reading.values;
  const value = readValue(node, start, path, reading);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) {
    reading.anchors.set(anchor, { node: value, values: reading.values - valuesBefore });
  }
  return value;
}

function readValue(
  node: Node | ParsedNode | null,
  start: number,
  path: SettingPath,
  reading: YamlReading,
): SettingsNode {
  reading.values += 1;
  if (isMap(node)) return { kind: 'mapping', start, entries: readEntries(node, path, reading) };
  if (isSeq<ParsedNode>(node)) {
    const items = node.items.map((item, index) => readNode(item, [...path, index], reading, start));
    return { kind: 'list', start, items };
  }
  return isScalar(node)
    ? readScalar(node, start, path, reading)
    : { kind: 'null', start, written: '', value: null };
}

function readAlias(
  name: string,
  start: number,
  path: SettingPath,
  reading: YamlReading,
): SettingsNode {
  const anchor = reading.takesAliases ? reading.anchors.get(name) : undefined;
  if (anchor === undefined) {
    // The message does not repeat the name: it can be a password that begins with a star.
    const message =
      'expected an anchor (&name) that is complete before this place, or quotes around the text';
    return refuse(reading, start, path, 'an alias (*name)', message);
  }
  const valuesBefore = reading.values;
  reading.values += anchor.values;
  if (reading.values <= MAX_VALUES) return anchor.node;
  if (valuesBefore > MAX_VALUES) return { kind: 'unusable', start };
  const message = `expected aliases that write out to at most ${MAX_VALUES} values`;
  return refuse(reading, start, path, 'an alias (*name)', message);
}

function readEntries(
  map: YAMLMap,
  path: SettingPath,
  reading: YamlReading,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const pair of map.items) readEntry(pair as Pair<ParsedNode, ParsedNode | null>);
  return entries;

  // The cast is safe: a parsed document has only parsed nodes.
  function readEntry({ key, value }: Pair<ParsedNode, ParsedNode | null>): void {
    const keyStart = key.range[0];
    const name = isScalar(key) ? nameOf(key) : undefined;
    if (name === undefined) {
      refuse(reading, keyStart, path, 'a name that is no text', 'expected a text as a name');
      return;
    }
    const firstEntry = entries.get(name);
    if (firstEntry === undefined) {
      const node = readNode(value, [...path, name], reading, keyStart);
      entries.set(name, { keyStart, node });
      return;
    }
    const line = reading.problems.lineOf(firstEntry.keyStart);
    const isHidden = isSecret(path) || !isPlainName(name);
    const foundText = isHidden ? 'a name a second time' : `${quote(name)} a second time`;
    const message = `expected each name once; the first one is in line ${line}`;
    refuse(reading, keyStart, isHidden ? path : [...path, name], foundText, message);
  }
}

/** The name can be a number: `404:` is the name "404". */
function nameOf(key: Scalar): string | undefined {
  if (typeof key.value === 'string') return key.value;
  return key.value === null || key.source === undefined ? undefined : key.source;
}

function readScalar(
  scalar: Scalar,
  start: number,
  path: SettingPath,
  reading: YamlReading,
): SettingsNode {
  const { value } = scalar;
  if (typeof value === 'string') return readText(scalar, value, start, path, reading);
  const written = scalar.source ?? '';
  if (typeof value === 'number' || typeof value === 'bigint') {
    return { kind: 'number', start, written, value };
  }
  if (typeof value === 'boolean') return { kind: 'boolean', start, written, value };
  return { kind: 'null', start, written, value: null };
}

function readText(
  scalar: Scalar,
  written: string,
  start: number,
  path: SettingPath,
  reading: YamlReading,
): SettingsNode {
  const { value, interpolated, missing, files } = substitute(written, reading.env);
  const end = scalar.range?.[1] ?? start;
  let searchFrom = start;
  for (const variable of missing) {
    const at = reading.text.indexOf(variable.written, searchFrom);
    const isInside = at !== -1 && at < end;
    if (isInside) searchFrom = at + variable.written.length;
    // Other text with a dollar sign and a brace can be part of a secret, so it is not shown.
    const isShown =
      variable.kind === 'unset' || (!isSecret(path) && /^[\w${}-]{1,60}$/.test(written));
    const foundText = isShown ? variable.written : 'text with ${ (not shown)';
    refuse(reading, isInside ? at : start, path, foundText, variable.message);
  }
  const oneLine = !reading.text.slice(start, end).includes('\n');
  return { kind: 'text', start, written, value, interpolated, valueFiles: files, oneLine };
}

function refuse(
  reading: YamlReading,
  start: number,
  path: SettingPath,
  found: string,
  message: string,
): SettingsNode {
  reading.problems.add(start, shownPath(path), found, message);
  return { kind: 'unusable', start };
}
