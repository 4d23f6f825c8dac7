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

/** Most names or values that are listed in one line. */
const MAX_LISTED = 24;

/** Most faults that are processed. It is far more than are shown. */
const MAX_FAULTS = 1000;

/** The checked value and its schema. */
interface Checked {
  readonly schema: z.core.$ZodType;
  readonly root: SettingsNode;
  readonly value: unknown;
}

/**
 * Reports each schema issue in words for the author of the file. Returns the settings that were probably meant by
 * misspelt names.
 */
export function reportShapeProblems(
  issues: readonly z.core.$ZodIssue[],
  checked: Checked,
  problems: ProblemList,
): ReadonlySet<string> {
  const faults = faultsOf(issues).slice(0, MAX_FAULTS);
  const meant = new Set(faults.flatMap((fault) => meantSetting(fault, checked)));
  for (const fault of faults) {
    const place = placeOf(checked.root, fault.path);
    // A misspelt name also causes a missing setting, and a missing variable a missing value. Each is reported once.
    if (place.kind === 'absent' && meant.has(formatPath(fault.path))) continue;
    if (wasReported(place)) continue;
    report(fault, place, checked, problems);
  }
  return meant;
}

/** The setting that was probably meant by a misspelt name. */
function meantSetting(fault: Fault, { schema, value }: Checked): string[] {
  if (fault.kind !== 'unknown_name') return [];
  const near = nearestName(fault.name, namesAt(schema, value, fault.path));
  return near === undefined ? [] : [formatPath([...fault.path, near])];
}

function wasReported(place: Place): boolean {
  if (place.kind === 'absent') return false;
  const { node } = place;
  return node.kind === 'unusable' || (node.kind === 'text' && node.value === undefined);
}

function report(fault: Fault, place: Place, checked: Checked, problems: ProblemList): void {
  const { path } = fault;
  switch (fault.kind) {
    case 'unknown_name':
      reportUnknownName(fault, checked, problems);
      return;
    case 'invalid_name': {
      // Only headers have free names. The text in place of the name may be the value, which can be a secret.
      const at = keyOffset(checked.root, path);
      problems.add(at, path.slice(0, -1), 'a name (not shown)', fault.message);
      return;
    }
    case 'invalid':
      problems.add(place.offset, path, describeFound(place, path), adviceOf(fault, place));
      return;
    case 'bad_lines':
      reportBadLines(fault.list, place, path, problems);
      return;
    case 'unfit': {
      const message = `expected ${describeExpected(fault.expected)}${remedy(fault.expected, place)}`;
      // For a number without quotes, the message describes the whole required text. Advice to add quotes would only
      // lead to the next mistake.
      const form = isNumber(place) ? fault.form : undefined;
      problems.add(place.offset, path, describeFound(place, path), form ?? message);
    }
  }
}

function adviceOf({ message, choices = [] }: Extract<Fault, { kind: 'invalid' }>, place: Place) {
  const written = place.kind === 'present' && place.node.kind === 'text' ? place.node.written : '';
  return message + didYouMean(nearestName(written, choices));
}

function isNumber(place: Place): boolean {
  return place.kind === 'present' && place.node.kind === 'number';
}

/**
 * Longest text of a list entry that is shown. A longer text, or a text with blanks, may come from a file that is not a
 * list.
 */
const MAX_SHOWN_ENTRY = 45;

function reportBadLines(
  { file, lines, count, expected }: BadLines,
  place: Place,
  path: SettingPath,
  problems: ProblemList,
): void {
  const more = count - lines.length;
  lines.forEach(({ line, text }, index) => {
    const isShown = text.length <= MAX_SHOWN_ENTRY && !/[\s=]/.test(text);
    const rest = index === lines.length - 1 && more > 0 ? `; ${more} more lines are bad` : '';
    const message = `${expected}; one a line, and # begins a comment${rest}`;
    const found = isShown ? quote(text) : 'a line (not shown)';
    problems.add(place.offset, path, found, message, { file, line });
  });
}

function reportUnknownName(
  { path, name }: Extract<Fault, { kind: 'unknown_name' }>,
  checked: Checked,
  problems: ProblemList,
): void {
  const { schema, value, root } = checked;
  const known = namesAt(schema, value, path);
  const near = nearestName(name, known);
  const offset = keyOffset(root, [...path, name]);
  if (name === '<<') {
    const message = 'merge keys are not read; repeat the settings, or use *name for a whole value';
    problems.add(offset, path, '"<<"', message);
    return;
  }
  const listed = known.length <= MAX_LISTED ? `expected ${alternatives(known)}` : 'no such setting';
  // Among keys and secrets, an unknown name may be a secret on the wrong side of the colon.
  const hidden = !isPlainName(name) || (near === undefined && isSecret(path));
  problems.add(
    offset,
    hidden ? path : [...path, name],
    hidden ? 'an unknown name (not shown)' : `the unknown name ${quote(name)}`,
    listed + didYouMean(near) + indentationAdvice([...path, name], checked, problems),
  );
}

/**
 * Advice for a name with a wrong indentation. It is given when a mapping around the name, or the last mapping in the
 * setting above it, has a setting of this name.
 */
function indentationAdvice(
  path: SettingPath,
  { schema, value, root }: Checked,
  problems: ProblemList,
): string {
  const name = String(path.at(-1));
  const place = placeOf(root, path.slice(0, -1));
  if (place.kind === 'absent' || place.node.kind !== 'mapping') return '';
  const names = [...place.node.entries.keys()];
  const above = names[names.indexOf(name) - 1];
  if (above === undefined) return '';
  const before = [...path.slice(0, -1), above];
  if (problems.lineOf(keyOffset(root, before)) === problems.lineOf(keyOffset(root, path)))
    return '';
  const around = path.slice(0, -1).map((_, depth) => path.slice(0, depth));
  const mapping = [...around.reverse(), ...within(before, root)].find((one) =>
    namesAt(schema, value, one).includes(name),
  );
  if (mapping === undefined) return '';
  const has = mapping.length === 0 ? 'the file itself has' : `${formatPath(mapping)} has`;
  return `; ${has} a setting of this name, so check the indentation`;
}

/** The node at a path, and the last entry of each collection in it. */
function within(path: SettingPath, root: SettingsNode): SettingPath[] {
  const place = placeOf(root, path);
  if (place.kind === 'absent') return [];
  const { node } = place;
  const last =
    node.kind === 'mapping'
      ? [...node.entries.keys()].at(-1)
      : node.kind === 'list' && node.items.length > 0
        ? node.items.length - 1
        : undefined;
  return [path, ...(last === undefined ? [] : within([...path, last], root))];
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : `. Did you mean ${quote(near)}?`;
}

const KINDS: Readonly<Record<Exclude<Expected['kind'], 'value'>, string>> = {
  text: 'text',
  number: 'a whole number',
  boolean: 'true or false',
  list: 'a list',
  mapping: 'a mapping (name: value)',
  other: 'another kind of value',
};

function describeExpected(expected: readonly Expected[]): string {
  if (expected.length > MAX_LISTED) return `one of ${expected.length} names`;
  return alternatives(
    expected.map((one) => (one.kind === 'value' ? String(one.value) : KINDS[one.kind])),
  );
}

const BOOLEAN_WORDS: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  no: 'false',
  off: 'false',
};

/** The advice for a value of the wrong kind. */
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
  const truthWanted = expects(expected, 'boolean');
  const numberWanted = expected.some(
    (one) => one.kind === 'number' || (one.kind === 'value' && typeof one.value === 'number'),
  );
  if (interpolated && (truthWanted || numberWanted)) return '; a variable is always text';
  if (truthWanted) {
    const word = written.toLowerCase();
    const truth = word === 'true' || word === 'false' ? word : BOOLEAN_WORDS[word];
    return truth === undefined ? '' : `; write ${truth} without quotes`;
  }
  if (numberWanted && /^\d+$/.test(written)) return '; remove the quotes';
  const network = /^AS(\d+)$/i.exec(written)?.[1];
  if (numberWanted && network !== undefined) return `; write ${network}, without AS`;
  if (expected.every(({ kind }) => kind === 'list')) return '; write it in [ ]';
  const choices = expected.flatMap((one) => (one.kind === 'value' ? [String(one.value)] : []));
  return didYouMean(nearestName(written, choices));
}

function expects(expected: readonly Expected[], kind: Expected['kind']): boolean {
  return expected.some((one) => one.kind === kind);
}
