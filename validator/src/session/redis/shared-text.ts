import { randomBytes } from 'node:crypto';

/** Longest allowed text, in bytes. */
const MAX_BYTES = 6 * 1024 * 1024;
/** The version in the reply when another program wrote the value. */
const FOREIGN = '-';

/**
 * The beginning of a script. It reads the text and its version. Both are empty when there is no text. It uses `pcall`,
 * because a value of another type causes an error, and an error of a script would end the connection. It uses only
 * `GET`, because some accounts allow no other command for reading.
 */
const READ_VERSION = `
local text = redis.pcall('GET', KEYS[1]) or ''
local version = text
if type(text) == 'table' or #text > ${MAX_BYTES} then version = '${FOREIGN}'
elseif text ~= '' then version = string.match(text, '^(%x+)\\n') or '${FOREIGN}' end
`;

/**
 * The value of a shared text is its version, a line break, and the text. An instance sends the version that it has, so
 * that an unchanged text is not sent again.
 */
const READ_SCRIPT = `${READ_VERSION}
if version == ARGV[1] then return false end
if version == '${FOREIGN}' then return '${FOREIGN}\\nunreadable' end
return text
`;

const REPLACE_SCRIPT = `${READ_VERSION}
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** The version while there is no text. */
const NO_VERSION = '';

export interface SharedText {
  readonly version: string;
  readonly text: string;
}

/** Returns the new text, or undefined to leave the old text. */
export type EditText = (text: string) => string | undefined;

export type TextChange = 'changed' | 'left' | 'lost';

export function readCommand(key: string, known: SharedText | undefined): readonly string[] {
  return ['EVAL', READ_SCRIPT, '1', key, known?.version ?? 'none'];
}

/**
 * Reads the text from a reply. Returns `known` when the text has not changed, and `unreadable` for a value that another
 * program wrote. Undefined when the reply is not from the script.
 */
export function readReply(reply: unknown, known: SharedText | undefined): SharedText | undefined {
  if (reply === null) return known;
  if (typeof reply !== 'string') return undefined;
  const end = reply.indexOf('\n');
  if (end === -1) return { version: NO_VERSION, text: '' };
  return { version: reply.slice(0, end), text: reply.slice(end + 1) };
}

/** The command that replaces the text if it is still `expectedText`. The reply is 1 when it was replaced. */
export function replaceCommand(
  key: string,
  expectedText: SharedText,
  text: string,
  ttl: string,
): readonly string[] {
  const version = randomBytes(8).toString('hex');
  return ['EVAL', REPLACE_SCRIPT, '1', key, expectedText.version, `${version}\n${text}`, ttl];
}
