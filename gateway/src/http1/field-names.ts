/** The name of a header field. */
export interface FieldName {
  readonly spelling: string;
  readonly lower: string;
  /** A request with it may have a body, or want another protocol, or an answer before the answer. */
  readonly asksForMore: boolean;
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
const remembered = new Map<string, FieldName>();

/** What is known of a name as sent. Names repeat, so each spelling is worked out once. */
export function fieldName(sent: string): FieldName {
  const known = remembered.get(sent);
  if (known !== undefined) return known;
  // A copy: `sent` may be a slice that keeps a whole header section in memory.
  const spelling = Buffer.from(sent, 'latin1').toString('latin1');
  const lower = spelling.toLowerCase();
  const name = { spelling, lower, asksForMore: ASK_FOR_MORE.has(lower) };
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (sent.length <= MAX_REMEMBERED_LENGTH) remembered.set(spelling, name);
  return name;
}
