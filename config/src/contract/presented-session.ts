import { UUID } from './uuid.ts';

const NAME = '_guard=';
const SPACE = 0x20;
const TAB = 0x09;

/**
 * The maximum number of `_guard` values that are read. A neighbouring site can set `_guard` for many paths of this
 * host, and a browser sends the cookie with the longest path first. Guard's own cookie has the path `/`, so the last
 * values are read.
 */
const MAX_PRESENTED = 8;
const NO_SESSIONS: readonly string[] = [];

/**
 * The session ids of a request (contract 2.1), without duplicates: the bare `cookie`, then every `_guard` of the Cookie
 * header, the last one first. Values that are not UUIDs are ignored. A browser sends several `_guard` cookies when a
 * parent domain, or a page over http, has also set one.
 */
export function presentedSessions(
  cookie: string | undefined,
  header: string | undefined,
): readonly string[] {
  const bare = cookie !== undefined && isUuid(cookie) ? [cookie] : NO_SESSIONS;
  if (header === undefined) return bare;
  let sessionIds = bare;
  let at = header.lastIndexOf(NAME);
  while (at !== -1 && sessionIds.length < MAX_PRESENTED) {
    const value = beginsCookie(header, at) ? valueFrom(header, at + NAME.length) : '';
    if (isUuid(value) && !sessionIds.includes(value)) sessionIds = [...sessionIds, value];
    at = at === 0 ? -1 : header.lastIndexOf(NAME, at - 1);
  }
  return sessionIds;
}

function valueFrom(header: string, from: number): string {
  const semicolon = header.indexOf(';', from);
  // A browser writes no white space around the value, so this code first cuts out the value as it is.
  const sentValue = header.slice(from, semicolon === -1 ? header.length : semicolon);
  return sentValue.length === 36 ? sentValue : sentValue.trim();
}

function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** True when only white space is between `at` and the semicolon or start before it. */
function beginsCookie(header: string, at: number): boolean {
  let previousIndex = at - 1;
  while (previousIndex >= 0) {
    const code = header.charCodeAt(previousIndex);
    if (code !== SPACE && code !== TAB) break;
    previousIndex--;
  }
  return previousIndex < 0 || header[previousIndex] === ';';
}
