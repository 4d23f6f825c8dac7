import { COLON, isBlank, isTextCharacter, isTokenCharacter } from '../../characters.ts';

/**
 * Appends name and value of one line of a header or trailer section to `fields`: the bytes from `from`
 * to `to`, without the line's end. Returns what is wrong with it, or undefined (RFC 9112 section 5).
 */
export function readFieldLine(
  bytes: Buffer,
  from: number,
  to: number,
  fields: string[],
): string | undefined {
  let colon = from;
  while (colon < to && isTokenCharacter(bytes[colon] ?? 0)) colon++;
  if (colon === to || colon === from || bytes[colon] !== COLON) return nameFault(bytes[colon]);

  let start = colon + 1;
  while (start < to && isBlank(bytes[start])) start++;
  let end = to;
  while (end > start && isBlank(bytes[end - 1])) end--;
  for (let i = start; i < end; i++) {
    if (!isTextCharacter(bytes[i] ?? 0)) return 'control character in a field value';
  }
  fields.push(bytes.toString('latin1', from, colon), bytes.toString('latin1', start, end));
  return undefined;
}

/** Section 5.1: a space before the colon has been read as two different names. Section 5.2: obs-fold. */
function nameFault(found: number | undefined): string {
  return isBlank(found) ? 'space around a field name, or a folded line' : 'field without a name';
}
