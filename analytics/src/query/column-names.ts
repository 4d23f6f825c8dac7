import { identifier, isSymbol, keyword, type Token } from './lexer.ts';

/**
 * Finds columns with the name of a function or keyword, such as `host AS hostname`. In doubt, a name is not a column,
 * so the gate refuses it.
 */

/**
 * After these words a parenthesis groups an expression, or starts a query. After any other name a parenthesis has the
 * arguments of a function. Inside these arguments a bare name can call a function: `arrayMap(file, …)`.
 */
const WORDS_BEFORE_GROUPS = new Set(
  'select distinct from join as materialized with where prewhere and or not in having on by order using over then when else between like ilike limit union all intersect except exists any qualify'.split(
    ' ',
  ),
);

/**
 * Words that may follow a column. No word here is the name of a setting or a format: `SETTINGS limit = 1` is a clause.
 */
export const WORDS_AFTER_COLUMNS: ReadonlySet<string> = new Set(
  'from where prewhere group order having union except intersect window qualify asc desc and or as format settings into'.split(
    ' ',
  ),
);

/** Returns a function that says whether the token at a position is a column, even if a function has the same name. */
export function columnNames(tokens: readonly Token[]): (at: number) => boolean {
  const givenNames = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    if (keyword(tokens[at - 1]) === 'as') givenNames.add(identifier(token) ?? '');
  }
  const isArgument = amongArguments(tokens);
  return (at) => {
    const name = identifier(tokens[at]) ?? '';
    // Storage columns begin with `_`, and keep their meaning even if an alias has the same name.
    if (name.startsWith('_') || isSymbol(tokens[at + 1], '(')) return false;
    const previousWord = keyword(tokens[at - 1]);
    if (previousWord === 'as') return true;
    return givenNames.has(name) && previousWord !== 'apply' && !isArgument[at];
  };
}

/** Says for each token whether it is inside the arguments of a function, at any depth. */
function amongArguments(tokens: readonly Token[]): readonly boolean[] {
  const outerStates: boolean[] = [];
  let inside = false;
  return tokens.map((token, at) => {
    if (isSymbol(token, ')')) inside = outerStates.pop() ?? false;
    const isInside = inside;
    if (isSymbol(token, '(')) {
      outerStates.push(inside);
      inside = !startsQuery(tokens, at + 1) && (inside || isCall(tokens[at - 1]));
    }
    return isInside;
  });
}

/** `f(SELECT x)` has a query as argument. `f(select, x)` has a column with the name `select`. */
function startsQuery(tokens: readonly Token[], at: number): boolean {
  const word = keyword(tokens[at]);
  const next = tokens[at + 1];
  return (word === 'select' || word === 'from') && (identifier(next) !== undefined || isText(next));
}

function isText(token: Token | undefined): boolean {
  return token?.kind === 'string' || token?.kind === 'number';
}

/** `quantile(0.5)(x)` is a call too. */
function isCall(previous: Token | undefined): boolean {
  if (previous?.kind === 'quoted') return true;
  if (previous?.kind === 'word') return !WORDS_BEFORE_GROUPS.has(keyword(previous));
  return isSymbol(previous, ')');
}

/**
 * True when the word SETTINGS, FORMAT or INTO starts no clause here. After the word, a clause needs a name or a string,
 * and no other clause may follow. `LIMIT` is also the name of a setting, so it is a clause only before a number.
 */
export function isColumnWord(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (next === undefined || next.kind === 'symbol') return true;
  if (keyword(next) === 'limit') return tokens[at + 2]?.kind === 'number';
  return WORDS_AFTER_COLUMNS.has(keyword(next));
}
