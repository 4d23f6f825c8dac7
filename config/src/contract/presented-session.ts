import { UUID } from './uuid.ts';

const NAME = '_guard=';
const SPACE = 0x20;
const TAB = 0x09;

/**
 * The session id a request presents (spec 2.1): the bare `cookie`, or else `_guard` of the Cookie
 * header; empty when there is none. What is no UUID is ignored as if it had not been sent. A browser
 * sends two `_guard` cookies where a parent domain set one of its own: the first that is a UUID counts.
 */
export function presentedSession(cookie: string | undefined, header: string | undefined): string {
  if (cookie !== undefined && isUuid(cookie)) return cookie;
  if (header === undefined) return '';
  for (let at = header.indexOf(NAME); at !== -1; at = header.indexOf(NAME, at + NAME.length)) {
    if (!beginsCookie(header, at)) continue;
    const from = at + NAME.length;
    const semicolon = header.indexOf(';', from);
    const end = semicolon === -1 ? header.length : semicolon;
    // A browser writes nothing around the value, which is then cut out once.
    const sent = header.slice(from, end);
    const value = sent.length === 36 ? sent : sent.trim();
    if (isUuid(value)) return value;
  }
  return '';
}

function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** True when only white space stands between `at` and the semicolon or start before it. */
function beginsCookie(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0) {
    const code = header.charCodeAt(before);
    if (code !== SPACE && code !== TAB) break;
    before--;
  }
  return before < 0 || header[before] === ';';
}
