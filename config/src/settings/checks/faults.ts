import type { z } from 'zod';
import type { BadLines } from '../lists/list-setting.ts';
import type { SettingPath } from '../problems/problems.ts';
import { choicesIn } from '../problems/refuse.ts';

export type Fault =
  | {
      readonly kind: 'unfit';
      readonly path: SettingPath;
      readonly expected: readonly Expected[];
      /** The required form of a text, if the schema describes one. */
      readonly form?: string;
    }
  | { readonly kind: 'unknown_name'; readonly path: SettingPath; readonly name: string }
  /** The value has the right kind, but something else is wrong. `message` says what is expected. */
  | {
      readonly kind: 'invalid';
      readonly path: SettingPath;
      readonly message: string;
      readonly choices?: readonly string[];
    }
  | { readonly kind: 'bad_lines'; readonly path: SettingPath; readonly list: BadLines }
  | { readonly kind: 'invalid_name'; readonly path: SettingPath; readonly message: string };

export type Expected =
  | { readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'mapping' | 'other' }
  | { readonly kind: 'value'; readonly value: string | number };

type Issue = z.core.$ZodIssue;

/**
 * Turns schema issues into faults. The library says only "invalid input" for a union, so the fault describes the
 * alternative with the same kind of value. If there is none, it names the kinds of all alternatives.
 */
export function faultsOf(issues: readonly Issue[], prefix: SettingPath = []): Fault[] {
  return issues.flatMap((issue) => {
    const path = [
      ...prefix,
      ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    ];
    return faultsOfIssue(issue, path);
  });
}

function faultsOfIssue(issue: Issue, path: SettingPath): Fault[] {
  switch (issue.code) {
    case 'invalid_type':
      return [faultOfOtherKind(issue, path)];
    case 'invalid_value':
      return [{ kind: 'unfit', path, expected: expectedValues(issue.values) }];
    case 'unrecognized_keys':
      return issue.keys.map((name) => ({ kind: 'unknown_name', path, name }));
    case 'invalid_union':
      return faultsOfUnion(issue, path);
    case 'invalid_key':
      return [{ kind: 'invalid_name', path, message: issue.issues[0]?.message ?? issue.message }];
    case 'too_small':
    case 'too_big':
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_element':
      return [{ kind: 'invalid', path, message: messageOf(issue) }];
    case 'custom':
      return [faultOfOwnSchema(issue, path)];
  }
}

function faultOfOtherKind(
  { expected, message }: z.core.$ZodIssueInvalidType,
  path: SettingPath,
): Fault {
  return {
    kind: 'unfit',
    path,
    expected: [{ kind: KINDS[expected] ?? 'other' }],
    ...(message.startsWith('expected') && { form: message }),
  };
}

/** Converts an issue of one of our own schemas. Only list-setting.ts sets the parameter for invalid lines. */
function faultOfOwnSchema(issue: z.core.$ZodIssueCustom, path: SettingPath): Fault {
  const list = issue.params?.['badLines'] as BadLines | undefined;
  if (list !== undefined) return { kind: 'bad_lines', path, list };
  return { kind: 'invalid', path, message: messageOf(issue), choices: choicesIn(issue) };
}

/** Messages of our own schemas begin with "expected". The messages of the library are replaced. */
function messageOf(issue: Issue): string {
  if (issue.message.startsWith('expected')) return issue.message;
  if (issue.code === 'too_small') return minimumText(issue);
  if (issue.code === 'too_big') return maximumText(issue);
  return `expected another value: ${issue.message}`;
}

function faultsOfUnion(issue: z.core.$ZodIssueInvalidUnion, path: SettingPath): Fault[] {
  if (issue.discriminator !== undefined && 'options' in issue) {
    return [{ kind: 'unfit', path, expected: expectedValues(issue.options ?? []) }];
  }
  const alternatives = issue.errors.map((errors) => faultsOf(errors, path));
  const [closestFaults] = alternatives
    .filter((faults) => !faults.some((fault) => isUnfitAt(fault, path)))
    .sort((a, b) => a.length - b.length);
  if (closestFaults !== undefined) return closestFaults;
  const unfitFaults = alternatives.flat().filter((fault) => isUnfitAt(fault, path));
  const form = unfitFaults.flatMap((fault) => fault.form ?? [])[0];
  return [
    {
      kind: 'unfit',
      path,
      expected: unfitFaults.flatMap((fault) => fault.expected),
      ...(form !== undefined && { form }),
    },
  ];
}

function isUnfitAt(fault: Fault, path: SettingPath): fault is Extract<Fault, { kind: 'unfit' }> {
  return fault.kind === 'unfit' && fault.path.length === path.length;
}

const KINDS: Readonly<Record<string, Exclude<Expected['kind'], 'value'>>> = {
  string: 'text',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'mapping',
  record: 'mapping',
};

function expectedValues(list: readonly unknown[]): Expected[] {
  return list.map((value) => ({
    kind: 'value',
    value: typeof value === 'number' ? value : String(value),
  }));
}

function minimumText({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (minimum === 1 && origin === 'string') return 'expected text that is not empty';
  if (origin === 'array') return `expected a list of at least ${entriesText(minimum)}`;
  if (origin === 'string') return `expected at least ${minimum} characters`;
  return `expected a number ${inclusive === false ? 'greater than' : 'of at least'} ${minimum}`;
}

function maximumText({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  if (origin === 'array') return `expected a list of at most ${entriesText(maximum)}`;
  if (origin === 'string') return `expected at most ${maximum} characters`;
  return `expected a number of at most ${maximum}`;
}

function entriesText(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'entry' : 'entries'}`;
}
