import { randomBytes } from 'node:crypto';

/**
 * A text that all instances share, under a key of its own: its version, a line break, the text. An instance asks
 * with the version that it has, so that a text that did not change is not sent again.
 */
const READ_SCRIPT = `
local held = redis.call('GET', KEYS[1]) or ''
if string.match(held, '^%x*') == ARGV[1] then return false end
return held
`;

const REPLACE_SCRIPT = `
local held = redis.call('GET', KEYS[1]) or ''
if string.match(held, '^%x*') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** Of a text that was never written. */
const NO_VERSION = '';

export interface SharedText {
  readonly version: string;
  readonly text: string;
}

export function readCommand(key: string, known: SharedText | undefined): readonly string[] {
  return ['EVAL', READ_SCRIPT, '1', key, known?.version ?? 'none'];
}

/** `known` for a reply that says that nothing changed; undefined for one that is not the script's. */
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
