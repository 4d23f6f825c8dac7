import { UUID } from './uuid.ts';

const NAME = '_guard=';
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Most values that are read. A neighbouring site can set `_guard` for many paths of this host, and a browser sends the
 * cookie with the longest path first. Guard's own cookie has the path `/`, so the last values are read.
 */
const MAX_PRESENTED = 8;
const NOTHING: readonly string[] = [];

/**
 * The session ids of a request (contract 2.1), without duplicates: the bare `cookie`, then every `_guard` of the
 * Cookie header, the last one first. Values that are not UUIDs are ignored. A browser sends more than one when a
 * parent domain, or a page over http, has set its own.
 */
export function presentedSessions(
  cookie: string | undefined,
  header: string | undefined,
): readonly string[] {
  const bare = cookie !== undefined && isUuid(cookie) ? [cookie] : NOTHING;
  if (header === undefined) return bare;
  let presented = bare;
  let at = header.lastIndexOf(NAME);
  while (at !== -1 && presented.length < MAX_PRESENTED) {
    const value = beginsCookie(header, at) ? valueFrom(header, at + NAME.length) : '';
    if (isUuid(value) && !presented.includes(value)) presented = [...presented, value];
    at = at === 0 ? -1 : header.lastIndexOf(NAME, at - 1);
  }
  return presented;
}

function valueFrom(header: string, from: number): string {
  const semicolon = header.indexOf(';', from);
  // A browser adds nothing around the value, so it can be cut out at once.
  const sent = header.slice(from, semicolon === -1 ? header.length : semicolon);
  return sent.length === 36 ? sent : sent.trim();
}

function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** True when only white space is between `at` and the semicolon or start before it. */
function beginsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0) {
    const code = header.charCodeAt(before);
    if (code !== SPACE && code !== TAB) break;
    before--;
  }
  return before < 0 || header[before] === ';';
}
