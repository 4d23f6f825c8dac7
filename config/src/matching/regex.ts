import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/**
 * Regular expressions that users write, in RE2 syntax: linear time by construction. `(a+)+$` costs a
 * backtracking engine seconds on 28 characters, and the characters are the visitor's to choose.
 */

export type CompiledRegex =
  | { readonly kind: 'compiled'; readonly test: (value: string) => boolean }
  /** `reason` names the fault and never quotes the expression, which may hold a secret. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Compiles one unanchored, case-sensitive expression (`(?i)` in front makes it insensitive). */
export function compileRegex(source: string): CompiledRegex {
  try {
    const regex = RE2JS.compile(source);
    return { kind: 'compiled', test: (value) => regex.test(value) };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return { kind: 'invalid', reason: error.getDescription() };
    }
    if (error instanceof RE2JSException) return { kind: 'invalid', reason: 'too large' };
    throw error;
  }
}
