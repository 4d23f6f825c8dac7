/** The tokens of a statement, and how to ask what one is; undefined is the end of the statement. */

export type Token =
  /** Bare word: a keyword, or an identifier without quotes. */
  | { readonly kind: 'word'; readonly name: string }
  /** Identifier in backticks or double quotes. */
  | { readonly kind: 'quoted'; readonly name: string }
  | { readonly kind: 'string' }
  | { readonly kind: 'number' }
  /** One character of punctuation. */
  | { readonly kind: 'symbol'; readonly name: string };

export function isSymbol(token: Token | undefined, name: string): boolean {
  return token?.kind === 'symbol' && token.name === name;
}

/** A bare word in lower case; an empty string for everything else. */
export function keyword(token: Token | undefined): string {
  return token?.kind === 'word' ? token.name.toLowerCase() : '';
}

/** The name an identifier gives, quoted or not, in its own case. */
export function identifier(token: Token | undefined): string | undefined {
  return token?.kind === 'word' || token?.kind === 'quoted' ? token.name : undefined;
}
