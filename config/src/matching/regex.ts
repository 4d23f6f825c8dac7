import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/**
 * Regular expressions of users, in RE2 syntax. Their time is linear in the length of the value. A backtracking engine
 * needs seconds for `(a+)+$` on 28 characters that a visitor chooses. But linear time can be slow too: a counted
 * repetition such as `.{1,100}` makes a large program, and each instruction and character can take 40 ns.
 */

/** Maximum product of instructions and characters in one test. It takes at most 20 ms. */
const MAX_STEPS = 500_000;
/** When all tests of one decision together have fewer steps than this, they take at most 10 ms and are not timed. */
const UNTIMED_STEPS = 250_000;
/** Time limit for all timed tests of one decision. */
const MAX_MS = 100;

let untimedSteps = 0;
let spentMs = 0;

/** Starts a new count of the time for regular expressions. A decision tests its rules in one turn. */
export function beginRegexes(): void {
  untimedSteps = 0;
  spentMs = 0;
}

/** Whether an expression was skipped, because earlier expressions of this decision had taken too long. */
export function areRegexesSpent(): boolean {
  return spentMs >= MAX_MS;
}

type CompiledRegex =
  | {
      readonly kind: 'compiled';
      /**
       * Whether the expression matches. Undefined for a value that would take too long, alone or after earlier tests of
       * this decision.
       */
      readonly test: (value: string) => boolean | undefined;
      /** Longest value that is tested, in UTF-16 code units. */
      readonly maxLength: number;
    }
  /** `reason` names the fault. It does not quote the expression, which may contain a secret. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Compiles one unanchored, case-sensitive expression (`(?i)` at its start makes it case-insensitive). */
export function compileRegex(source: string): CompiledRegex {
  try {
    const regex = RE2JS.compile(source);
    const size = regex.programSize();
    const maxLength = Math.floor(MAX_STEPS / size);
    return {
      kind: 'compiled',
      test: (value) => {
        const steps = value.length * size;
        if (untimedSteps + steps <= UNTIMED_STEPS) {
          untimedSteps += steps;
          return regex.test(value);
        }
        if (value.length > maxLength || areRegexesSpent()) return undefined;
        const startedAt = performance.now();
        const isMatch = regex.test(value);
        spentMs += performance.now() - startedAt;
        return isMatch;
      },
      maxLength,
    };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      return { kind: 'invalid', reason: error.getDescription() };
    }
    if (error instanceof RE2JSException) return { kind: 'invalid', reason: 'too large' };
    throw error;
  }
}
