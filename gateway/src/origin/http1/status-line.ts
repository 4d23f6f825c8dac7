import { isTextCharacter, SP } from '../../characters.ts';

export interface StatusLine {
  readonly minor: 0 | 1;
  /** 100 to 999: what a number above 599 means is the visitor's to know. */
  readonly status: number;
  readonly reason: string;
}

const NAME = Buffer.from('HTTP/1.');
const ZERO = 0x30;

/**
 * RFC 9112 section 4: the bytes from `from` to `to`, without the line's end; undefined when they are no
 * status line of HTTP/1.0 or 1.1. The space before an empty reason may be missing, as it often is.
 */
export function readStatusLine(bytes: Buffer, from: number, to: number): StatusLine | undefined {
  const minor = readMinor(bytes, from);
  const status = readStatus(bytes, from + 8);
  const codeEnd = from + 12;
  if (minor === undefined || status === undefined || to < codeEnd) return undefined;
  if (to === codeEnd) return { minor, status, reason: '' };
  if (bytes[codeEnd] !== SP) return undefined;
  for (let i = codeEnd + 1; i < to; i++) if (!isTextCharacter(bytes[i] ?? 0)) return undefined;
  return { minor, status, reason: bytes.toString('latin1', codeEnd + 1, to) };
}

function readMinor(bytes: Buffer, from: number): 0 | 1 | undefined {
  for (let i = 0; i < NAME.length; i++) if (bytes[from + i] !== NAME[i]) return undefined;
  const minor = (bytes[from + NAME.length] ?? 0) - ZERO;
  return minor === 0 || minor === 1 ? minor : undefined;
}

/** A space and three digits. */
function readStatus(bytes: Buffer, from: number): number | undefined {
  if (bytes[from] !== SP) return undefined;
  let status = 0;
  for (let i = from + 1; i < from + 4; i++) {
    const digit = (bytes[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    status = status * 10 + digit;
  }
  return status < 100 ? undefined : status;
}
