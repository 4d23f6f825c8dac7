import type { ErrorCode } from 'yaml';
import type { MisplacedLine } from './indentation.ts';
import { alternatives } from '../problems/problems.ts';

export const NOT_YAML = 'text that is not YAML';

/**
 * The message for each syntax error, for the author of the settings file. The messages of the parser are not used,
 * because some of them quote the faulty text, and this text can be a key.
 */
const messages: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) takes no anchor or tag of its own',
  BAD_ALIAS: 'an anchor or alias needs a plain name',
  BAD_DIRECTIVE: 'remove this %-line: guard.yaml needs no YAML directives',
  BAD_DQ_ESCAPE: 'this escape is not known in double quotes; use single quotes, or \\\\ for one \\',
  BAD_INDENT: 'check the indentation, and that every [ and { is closed',
  BAD_PROP_ORDER: 'anchors and tags stand before their value',
  BAD_SCALAR_START: 'a text that begins like this needs quotes around it',
  BLOCK_AS_IMPLICIT_KEY: 'two `name: value` cannot share a line; quote a text that contains `: `',
  BLOCK_IN_FLOW: 'between [ ] or { } write everything in the short form',
  DUPLICATE_KEY: 'expected each name once',
  IMPOSSIBLE: 'this cannot be read as YAML',
  KEY_OVER_1024_CHARS: 'a name is at most 1024 characters long',
  MISSING_CHAR: 'a closing quote, a comma or a `:` after a name is missing here or before',
  MULTILINE_IMPLICIT_KEY:
    'a `:` with a space after it is missing after the name, or the indentation is wrong',
  MULTIPLE_ANCHORS: 'a value has at most one anchor',
  MULTIPLE_DOCS: 'expected one document; remove this `---` and what follows it',
  MULTIPLE_TAGS: 'a value has at most one tag; guard.yaml needs none',
  NON_STRING_KEY: 'expected a text as a name',
  RESOURCE_EXHAUSTION: 'the nesting is too deep',
  TAB_AS_INDENT: 'indent with spaces instead of tabs',
  TAG_RESOLVE_FAILED: 'remove the tag: guard.yaml needs none',
  UNEXPECTED_TOKEN: 'this does not belong here; check quotes, brackets and indentation before it',
  BAD_COLLECTION_TYPE: 'remove the tag: it does not fit the value after it',
};

export function describeMisplaced(
  misplaced: MisplacedLine,
): readonly [found: string, message: string] {
  switch (misplaced.kind) {
    case 'tab':
      return [NOT_YAML, messages.TAB_AS_INDENT];
    case 'no_colon':
      return [NOT_YAML, messages.MULTILINE_IMPLICIT_KEY];
    case 'spaces':
      return describeSpaces(misplaced);
  }
}

function describeSpaces({
  spaces,
  fitting,
}: Extract<MisplacedLine, { kind: 'spaces' }>): readonly [found: string, message: string] {
  const counts = fitting.map(String);
  const expected =
    counts.length === 0 ? 'the indentation' : `${alternatives(counts)} spaces in front of it,`;
  return [
    `wrong indentation (${spaces} ${spaces === 1 ? 'space' : 'spaces'})`,
    `expected ${expected} as the lines above have; check the line before it too`,
  ];
}

const UNQUOTED_VARIABLE = /[[{,][^"']*\$\{/;

/** `excerpt` is the text around the error, on the same line. */
export function syntaxMessage(code: ErrorCode, excerpt: string): string {
  return UNQUOTED_VARIABLE.test(excerpt)
    ? `${messages[code]}. Between { } or [ ] a variable needs quotes: "\${NAME}"`
    : messages[code];
}
