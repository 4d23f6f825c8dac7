import type { z } from 'zod';
import { type Expected, type Fault, faultsOf } from './faults.ts';
import type { BadLines } from '../lists/list-setting.ts';
import { describeFound, isSecret } from '../reading/found.ts';
import { namesAt } from './known-names.ts';
import { nearestName } from '../problems/nearest-name.ts';
import type { ProblemList } from '../problems/problem-list.ts';
import {
  alternatives,
  formatPath,
  isPlainName,
  quote,
  type SettingPath,
} from '../problems/problems.ts';
import { keyOffset, placeOf, type Place, type SettingsNode } from '../reading/settings-node.ts';

const MAX_LISTED_NAMES = 24;
/** The maximum number of names that the description of a mapping shows. */
const MAX_MAPPING_NAMES = 8;

/** The maximum number of faults that are collected. It is far more than Guard shows. */
const MAX_FAULTS = 1000;

interface CheckedSettings {
  readonly schema: z.core.$ZodType;
  readonly root: SettingsNode;
  readonly value: unknown;
}

/** Reports the faults of the schema. Returns the settings whose names were probably misspelt. */
export function reportShapeProblems(
  issues: readonly z.core.$ZodIssue[],
  checkedSettings: CheckedSettings,
  problems: ProblemList,
): ReadonlySet<string> {
  const faults = faultsOf(issues).slice(0, MAX_FAULTS);
  const misspeltSettings = new Set(
    faults.flatMap((fault) => misspeltSetting(fault, checkedSettings)),
  );
  for (const fault of faults) {
    const place = placeOf(checkedSettings.root, fault.path);
    // A misspelt name also makes a setting missing, and a missing variable makes a value missing. Only one problem is
    // reported for each.
    if (place.kind === 'absent' && misspeltSettings.has(formatPath(fault.path))) continue;
    if (wasReported(place)) continue;
    report(fault, place, checkedSettings, problems);
  }
  return misspeltSettings;
}

function misspeltSetting(fault: Fault, { schema, value }: CheckedSettings): string[] {
  if (fault.kind !== 'unknown_name') return [];
  const nearest = nearestName(fault.name, namesAt(schema, value, fault.path));
  return nearest === undefined ? [] : [formatPath([...fault.path, nearest])];
}

function wasReported(place: Place): boolean {
  if (place.kind === 'absent') return false;
  const { node } = place;
  return node.kind === 'unusable' || (node.kind === 'text' && node.value === undefined);
}

function report(
  fault: Fault,
  place: Place,
  checkedSettings: CheckedSettings,
  problems: ProblemList,
): void {
  const { path } = fault;
  switch (fault.kind) {
    case 'unknown_name':
      reportUnknownName(fault, checkedSettings, problems);
      return;
    case 'invalid_name': {
      // Only headers have free names. The text where the name should be can be the value, and the value can be a
      // secret.
      const nameOffset = keyOffset(checkedSettings.root, path);
      problems.add(nameOffset, path.slice(0, -1), 'a name (not shown)', fault.message);
      return;
    }
    case 'invalid':
      problems.add(place.offset, path, describeFound(place, path), adviceOf(fault, place));
      return;
    case 'bad_lines':
      reportBadLines(fault.list, place, path, problems);
      return;
    case 'unfit': {
      const names = namesAt(checkedSettings.schema, checkedSettings.value, path);
      const message = `expected ${describeExpected(fault.expected, names)}${remedy(fault.expected, place)}`;
      // For a number without quotes, the message describes the required text. Quotes alone would perhaps not make the text
      // valid.
      const form = isNumber(place) ? fault.form : undefined;
      problems.add(place.offset, path, describeFound(place, path), form ?? message);
    }
  }
}

function adviceOf({ message, choices = [] }: Extract<Fault, { kind: 'invalid' }>, place: Place) {
  const writtenText =
    place.kind === 'present' && place.node.kind === 'text' ? place.node.written : '';
  return message + didYouMean(nearestName(writtenText, choices));
}

function isNumber(place: Place): boolean {
  return place.kind === 'present' && place.node.kind === 'number';
}

/**
 * Longest text of a list entry that is shown. A longer text, or a text with blanks, can come from a file that is not a
 * list.
 */
const MAX_SHOWN_ENTRY = 45;

function reportBadLines(
  { file, lines, badLineCount, expected }: BadLines,
  place: Place,
  path: SettingPath,
  problems: ProblemList,
): void {
  const unlistedCount = badLineCount - lines.length;
  lines.forEach(({ line, text }, index) => {
    const isShown = text.length <= MAX_SHOWN_ENTRY && !/[\s=]/.test(text);
    const moreText =
      index === lines.length - 1 && unlistedCount > 0
        ? `; ${unlistedCount} more lines are bad`
        : '';
    const message = `${expected}; one a line, and # begins a comment${moreText}`;
    const foundText = isShown ? quote(text) : 'a line (not shown)';
    problems.add(place.offset, path, foundText, message, { file, line });
  });
}

function reportUnknownName(
  { path, name }: Extract<Fault, { kind: 'unknown_name' }>,
  checkedSettings: CheckedSettings,
  problems: ProblemList,
): void {
  const { schema, value, root } = checkedSettings;
  const knownNames = namesAt(schema, value, path);
  const nearest = nearestName(name, knownNames);
  const offset = keyOffset(root, [...path, name]);
  if (name === '<<') {
    const message = 'merge keys are not read; repeat the settings, or use *name for a whole value';
    problems.add(offset, path, '"<<"', message);
    return;
  }
  const expectedText =
    knownNames.length <= MAX_LISTED_NAMES
      ? `expected ${alternatives(knownNames)}`
      : 'no such setting';
  // Among keys and secrets, an unknown name can be a secret that was written before the colon.
  const isHidden = !isPlainName(name) || (nearest === undefined && isSecret(path));
  problems.add(
    offset,
    isHidden ? path : [...path, name],
    isHidden ? 'an unknown name (not shown)' : `the unknown name ${quote(name)}`,
    expectedText +
      didYouMean(nearest) +
      indentationAdvice([...path, name], checkedSettings, problems),
  );
}

/**
 * Returns advice for a name that is valid with another indentation: in a mapping around it, or in the last mapping of the
 * setting above it.
 */
function indentationAdvice(
  path: SettingPath,
  { schema, value, root }: CheckedSettings,
  problems: ProblemList,
): string {
  const name = String(path.at(-1));
  const place = placeOf(root, path.slice(0, -1));
  if (place.kind === 'absent' || place.node.kind !== 'mapping') return '';
  const names = [...place.node.entries.keys()];
  const nameAbove = names[names.indexOf(name) - 1];
  if (nameAbove === undefined) return '';
  const pathAbove = [...path.slice(0, -1), nameAbove];
  if (problems.lineOf(keyOffset(root, pathAbove)) === problems.lineOf(keyOffset(root, path)))
    return '';
  const outerPaths = path.slice(0, -1).map((_, depth) => path.slice(0, depth));
  const mapping = [...outerPaths.reverse(), ...pathsWithin(pathAbove, root)].find((candidatePath) =>
    namesAt(schema, value, candidatePath).includes(name),
  );
  if (mapping === undefined) return '';
  const ownerText = mapping.length === 0 ? 'the file itself has' : `${formatPath(mapping)} has`;
  return `; ${ownerText} a setting of this name, so check the indentation`;
}

function pathsWithin(path: SettingPath, root: SettingsNode): SettingPath[] {
  const place = placeOf(root, path);
  if (place.kind === 'absent') return [];
  const { node } = place;
  const last =
    node.kind === 'mapping'
      ? [...node.entries.keys()].at(-1)
      : node.kind === 'list' && node.items.length > 0
        ? node.items.length - 1
        : undefined;
  return [path, ...(last === undefined ? [] : pathsWithin([...path, last], root))];
}

function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : `. Did you mean ${quote(nearest)}?`;
}

const KINDS: Readonly<Record<Exclude<Expected['kind'], 'value'>, string>> = {
  text: 'text',
  number: 'a whole number',
  boolean: 'true or false',
  list: 'a list',
  mapping: 'a mapping (name: value)',
  other: 'another kind of value',
};

/** `names` are those of a mapping at this place. */
function describeExpected(expected: readonly Expected[], names: readonly string[]): string {
  const [first, second] = expected;
  const areNamesShown = names.length > 0 && names.length <= MAX_MAPPING_NAMES;
  if (first?.kind === 'mapping' && second === undefined && areNamesShown) {
    return `a mapping with ${alternatives(names)}`;
  }
  if (expected.length > MAX_LISTED_NAMES) return `one of ${expected.length} names`;
  return alternatives(
    expected.map((alternative) =>
      alternative.kind === 'value' ? String(alternative.value) : KINDS[alternative.kind],
    ),
  );
}

const BOOLEAN_WORDS: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  no: 'false',
  off: 'false',
};

function remedy(expected: readonly Expected[], place: Place): string {
  if (place.kind === 'absent') return '; this setting is required';
  const { node } = place;
  switch (node.kind) {
    case 'null':
      if (place.offset === 0 && node.written === '') return '';
      if (expects(expected, 'mapping')) return '; {} is the empty one';
      if (expected.every(({ kind }) => kind === 'list')) return '; [] is the empty one';
      return '; give it a value or remove the line';
    case 'number':
    case 'boolean':
      return expects(expected, 'text') ? '; put quotes around it' : '';
    case 'text':
      return remedyForText(expected, node.written, node.interpolated);
    case 'list':
      return expects(expected, 'text') ? '; write one value, without a list' : '';
    case 'mapping':
    case 'unusable':
      return '';
  }
}

function remedyForText(
  expected: readonly Expected[],
  written: string,
  interpolated: boolean,
): string {
  const wantsBoolean = expects(expected, 'boolean');
  const wantsNumber = expected.some(
    (alternative) =>
      alternative.kind === 'number' ||
      (alternative.kind === 'value' && typeof alternative.value === 'number'),
  );
  if (interpolated && (wantsBoolean || wantsNumber)) return '; a variable is always text';
  if (wantsBoolean) {
    const word = written.toLowerCase();
    const booleanText = word === 'true' || word === 'false' ? word : BOOLEAN_WORDS[word];
    return booleanText === undefined ? '' : `; write ${booleanText} without quotes`;
  }
  if (wantsNumber && /^\d+$/.test(written)) return '; remove the quotes';
  const network = /^AS(\d+)$/i.exec(written)?.[1];
  if (wantsNumber && network !== undefined) return `; write ${network}, without AS`;
  if (expected.every(({ kind }) => kind === 'list')) return '; write it in [ ]';
  const choices = expected.flatMap((alternative) =>
    alternative.kind === 'value' ? [String(alternative.value)] : [],
  );
  return didYouMean(nearestName(written, choices));
}

function expects(expected: readonly Expected[], kind: Expected['kind']): boolean {
  return expected.some((alternative) => alternative.kind === kind);
}
