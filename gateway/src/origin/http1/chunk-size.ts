import { isBlank, isTextCharacter, SEMICOLON } from '../../base/characters.ts';

export interface ChunkSize {
  readonly size: number;
  /** Bytes behind the size. What they say is ignored (RFC 9112 section 7.1.1). */
  readonly extensionBytes: number;
}

/** More would not fit a number exactly, nor any body. */
const MAX_DIGITS = 13;

/** RFC 9112 section 7.1: a chunk-size line without its end; undefined when it is none. */
export function readChunkSize(bytes: Buffer, from: number, to: number): ChunkSize | undefined {
  let size = 0;
  let at = from;
  for (; at < to; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit === -1) break;
    size = size * 16 + digit;
  }
  const digits = at - from;
  if (digits === 0 || digits > MAX_DIGITS) return undefined;
  const extensionBytes = to - at;
  if (extensionBytes === 0) return { size, extensionBytes };

  for (let i = at; i < to; i++) if (!isTextCharacter(bytes[i] ?? 0)) return undefined;
  // BWS may stand before the semicolon; without one it is a padded size, which is not in the grammar.
  while (at < to && isBlank(bytes[at])) at++;
  return bytes[at] === SEMICOLON ? { size, extensionBytes } : undefined;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
