import { randomBytes } from 'node:crypto';

/** Longest text in bytes. */
const MOST_BYTES = 6 * 1024 * 1024;
/** What stands in place of a version where another program wrote something that is no text of ours. */
const FOREIGN = '-';

/**
 * The text and its version, empty where there is none. An error of a script would end the connection, so that another
 * type of value must be none. Only `GET`: an account may have no other command that reads.
 */
const HELD = `
local text = redis.pcall('GET', KEYS[1]) or ''
local version = text
if type(text) == 'table' or #text > ${MOST_BYTES} then version = '${FOREIGN}'
elseif text ~= '' then version = string.match(text, '^(%x+)\\n') or '${FOREIGN}' end
`;

/**
 * A text that all instances share, under a key of its own: its version, a line break, the text. An instance asks
 * with the version that it has, so that a text that did not change is not sent again.
 */
const READ_SCRIPT = `${HELD}
if version == ARGV[1] then return false end
if version == '${FOREIGN}' then return '${FOREIGN}\\nunreadable' end
return text
`;

const REPLACE_SCRIPT = `${HELD}
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** Of a text that was never written. */
const NO_VERSION = '';

export interface SharedText {
  readonly version: string;
  readonly text: string;
}

/** Gives the text that is to take the place of another one; undefined to leave that. */
export type EditText = (text: string) => string | undefined;

export type TextChange = 'changed' | 'left' | 'lost';

export function readCommand(key: string, known: SharedText | undefined): readonly string[] {
  return ['EVAL', READ_SCRIPT, '1', key, known?.version ?? 'none'];
}

/**
 * `known` for a reply that says that nothing changed; undefined for one that is not the script's. What is no text of
 * ours is the text `unreadable`.
 */
export function readReply(reply: unknown, known: SharedText | undefined): SharedText | undefined {
  if (reply === null) return known;
  if (typeof reply !== 'string') return undefined;
  const end = reply.indexOf('\n');
  if (end === -1) return { version: NO_VERSION, text: '' };
  return { version: reply.slice(0, end), text: reply.slice(end + 1) };
}

/** Replaces the text if it still is `before`. The reply is 1 where it was. */
export function replaceCommand(
  key: string,
  before: SharedText,
  text: string,
  ttl: string,
): readonly string[] {
  const version = randomBytes(8).toString('hex');
  return ['EVAL', REPLACE_SCRIPT, '1', key, before.version, `${version}\n${text}`, ttl];
}
