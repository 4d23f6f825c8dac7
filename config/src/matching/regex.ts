import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/**
 * Regular expressions that users write, in RE2 syntax: linear time by construction. `(a+)+$` costs a
 * backtracking engine seconds on 28 characters, and the characters are the visitor's to choose. Linear can
 * still be slow: a counted repetition such as `.{1,100}` makes a large program, which a visitor can make
 * take 40 ns for each instruction and character.
 */

/** Instructions times characters that one test may take: 20 ms at the worst. */
const MOST_STEPS = 500_000;

export type CompiledRegex =
  | {
      readonly kind: 'compiled';
      readonly test: (value: string) => boolean;
      /** Longest value that is tested, in UTF-16 code units. */
      readonly maxLength: number;
    }
  /** `reason` names the fault and never quotes the expression, which may hold a secret. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Compiles one unanchored, case-sensitive expression (`(?i)` in front makes it insensitive). */
export function compileRegex(source: string): CompiledRegex {
  try {
    const regex = RE2JS.compile(source);
    const maxLength = Math.floor(MOST_STEPS / regex.programSize());
    return { kind: 'compiled', test: (value) => regex.test(value), maxLength };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return { kind: 'invalid', reason: error.getDescription() };
    }
    if (error instanceof RE2JSException) return { kind: 'invalid', reason: 'too large' };
    throw error;
  }
}
