/** The name of a header field. */
export interface FieldName {
  readonly spelling: string;
  /** As it stands in a line. */
  readonly withColon: string;
  readonly lower: string;
  /** A request with it may have a body, or want another protocol, or an answer before the answer. */
  readonly asksForMore: boolean;
  /** The name that came behind it last. */
  follower: FieldName | undefined;
}

const ASK_FOR_MORE: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const MAX_REMEMBERED = 1_024;
const MAX_REMEMBERED_LENGTH = 64;

/**
 * The names in the header sections of one direction. Programs send their fields in the same order every
 * time: the name that followed last is tried first, which needs neither a copy nor a look-up.
 */
export class FieldNames {
  /** What the first name of a header section comes behind. */
  readonly beforeFirst = makeName('');
  readonly #remembered = new Map<string, FieldName>();

  /** The name at the beginning of a line, if it is the one that followed last. */
  guess(line: string, at: number, before: FieldName): FieldName | undefined {
    const guess = before.follower;
    return guess !== undefined && line.startsWith(guess.withColon, at) ? guess : undefined;
  }

  /** The name `sent`, behind that one. */
  take(sent: string, before: FieldName): FieldName {
    const name = this.#nameOf(sent);
    if (name.spelling.length <= MAX_REMEMBERED_LENGTH) before.follower = name;
    return name;
  }

  /** Names repeat, so each spelling is worked out once. */
  #nameOf(sent: string): FieldName {
    const known = this.#remembered.get(sent);
    if (known !== undefined) return known;
    const name = makeName(sent);
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    if (sent.length <= MAX_REMEMBERED_LENGTH) this.#remembered.set(name.spelling, name);
    return name;
  }
}

function makeName(sent: string): FieldName {
  // A copy: `sent` may be a slice that keeps a whole header section in memory.
  const spelling = Buffer.from(sent, 'latin1').toString('latin1');
  const lower = spelling.toLowerCase();
  const asksForMore = ASK_FOR_MORE.has(lower);
  return { spelling, withColon: `${spelling}:`, lower, asksForMore, follower: undefined };
}
