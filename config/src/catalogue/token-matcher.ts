/** Only this many UTF-16 code units of a User-Agent are read. Product tokens are never after that. */
export const MAX_USER_AGENT_LENGTH = 1024;

export interface Token<T> {
  /** The token as its owner writes it. ASCII letters match in either case. */
  readonly text: string;
  /**
   * True when the token matches only at the start of the User-Agent. This is for words that a browser's User-Agent can
   * contain at a later position.
   */
  readonly atStart: boolean;
  readonly value: T;
}

interface Node<T> {
  readonly next: Map<number, Node<T>>;
  anywhere: Token<T> | undefined;
  atStart: Token<T> | undefined;
}

/**
 * Finds the first of many literal tokens in a User-Agent. If several tokens start there, the longest one wins:
 * `Googlebot-Image` before `Googlebot`. One walk over a trie finds it, so no input and no number of tokens makes it
 * slow.
 *
 * A token is a whole word: there is no letter, digit, `_` or `-` before it, and no letter, digit or `_` after it. A
 * `-` may follow, because operators derive names that way (`Baiduspider-render`).
 */
export class TokenMatcher<T> {
  readonly #root: Node<T> = newNode();
  /** Whether a token starts with this ASCII code. So most positions of a User-Agent need no look-up in the trie. */
  readonly #begins = new Uint8Array(128);

  /** Builds the trie. Throws a TypeError for a token that does not start with visible ASCII, and for a duplicate. */
  constructor(tokens: Iterable<Token<T>>) {
    for (const token of tokens) this.#add(token);
  }

  find(userAgent: string): Token<T> | undefined {
    const length = Math.min(userAgent.length, MAX_USER_AGENT_LENGTH);
    let codeBefore = -1;
    for (let start = 0; start < length; start += 1) {
      const code = lowerCase(userAgent.charCodeAt(start));
      const isTokenStart = !isWord(code) || !(isWord(codeBefore) || codeBefore === HYPHEN);
      if (isTokenStart && this.#begins[code] === 1) {
        const foundToken = this.#longestAt(userAgent, start, length);
        if (foundToken !== undefined) return foundToken;
      }
      codeBefore = code;
    }
    return undefined;
  }

  #longestAt(userAgent: string, start: number, length: number): Token<T> | undefined {
    let node: Node<T> | undefined = this.#root;
    let longestToken: Token<T> | undefined;
    for (let at = start; at < length; at += 1) {
      const code = lowerCase(userAgent.charCodeAt(at));
      node = node.next.get(code);
      if (node === undefined) break;
      const token: Token<T> | undefined =
        start === 0 ? (node.atStart ?? node.anywhere) : node.anywhere;
      if (token === undefined) continue;
      const codeAfter = at + 1 < length ? lowerCase(userAgent.charCodeAt(at + 1)) : -1;
      if (!(isWord(code) && isWord(codeAfter))) longestToken = token;
    }
    return longestToken;
  }

  #add(token: Token<T>): void {
    if (!/^[\x21-\x7e]/.test(token.text))
      throw new TypeError('a token does not begin with visible ASCII');
    this.#begins[lowerCase(token.text.charCodeAt(0))] = 1;
    let node = this.#root;
    for (let at = 0; at < token.text.length; at += 1) {
      const code = lowerCase(token.text.charCodeAt(at));
      let next = node.next.get(code);
      if (next === undefined) {
        next = newNode();
        node.next.set(code, next);
      }
      node = next;
    }
    const place = token.atStart ? 'atStart' : 'anywhere';
    if (node[place] !== undefined) throw new TypeError(`the token ${token.text} is given twice`);
    node[place] = token;
  }
}

const HYPHEN = 45;
const UNDERSCORE = 95;

function newNode<T>(): Node<T> {
  return { next: new Map(), anywhere: undefined, atStart: undefined };
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Whether a character is part of a word. `code` is a lower-case code unit, or -1 for the end of the text. */
function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === UNDERSCORE;
}
