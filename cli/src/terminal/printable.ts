/** Characters that a terminal executes, or that hide or reverse the text around them. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a stranger's text safe as one line on a terminal. Control codes, and characters that change the text
 * direction, are written as `\u001b`. The result has at most `maxLength` characters.
 */
export function toPrintable(text: string, maxLength = 1000): string {
  const escaped = text.slice(0, maxLength + 1).replace(UNSAFE_CHARACTERS, escapeCharacter);
  return escaped.length > maxLength ? `${escaped.slice(0, maxLength - 1)}…` : escaped;
}

/** A value as one line of JSON that is safe on a terminal. */
export function toPrintableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_CHARACTERS, escapeCharacter);
}

/** Also a valid JSON escape: each UTF-16 code unit separately. */
function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Makes a table of strangers' texts safe. Line breaks and tabs stay. The rest is escaped as in `toPrintable`. */
export function toPrintableLines(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, (character) =>
    /[\n\t]/.test(character) ? character : escapeCharacter(character),
  );
}
