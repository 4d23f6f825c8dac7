import { isTextCharacter, SP } from '../../base/characters.ts';

export interface StatusLine {
  readonly minor: 0 | 1;
  /** 100 to 999: what a number above 599 means is the visitor's to know. */
  readonly status: number;
  readonly reason: string;
}

const NAME = 'HTTP/1.';
const ZERO = 0x30;

/**
 * RFC 9112 section 4: the latin1 characters from `from` to `to`, without the line's end; undefined when they are no
 * status line of HTTP/1.0 or 1.1. The space before an empty reason may be missing, as it often is.
 */
export function readStatusLine(text: string, from: number, to: number): StatusLine | undefined {
  const minor = readMinor(text, from);
  const status = readStatus(text, from + 8);
  const codeEnd = from + 12;
  if (minor === undefined || status === undefined || to < codeEnd) return undefined;
  if (to === codeEnd) return { minor, status, reason: '' };
  if (text.charCodeAt(codeEnd) !== SP) return undefined;
  for (let i = codeEnd + 1; i < to; i++) if (!isTextCharacter(text.charCodeAt(i))) return undefined;
  return { minor, status, reason: text.slice(codeEnd + 1, to) };
}

function readMinor(text: string, from: number): 0 | 1 | undefined {
  if (!text.startsWith(NAME, from)) return undefined;
  const minor = text.charCodeAt(from + NAME.length) - ZERO;
  return minor === 0 || minor === 1 ? minor : undefined;
}

/** A space and three digits. */
function readStatus(text: string, from: number): number | undefined {
  if (text.charCodeAt(from) !== SP) return undefined;
  let status = 0;
  for (let i = from + 1; i < from + 4; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    status = status * 10 + digit;
  }
  return status < 100 ? undefined : status;
}
