/** Characters that a terminal executes, or that hide or reverse the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a stranger's text safe as one line on a terminal. Control codes, and characters that change the text
 * direction, are written as `\u001b`. The result has at most `most` characters.
 */
export function printable(text: string, most = 1000): string {
  const escaped = text.slice(0, most + 1).replace(UNSEEN, escape);
  return escaped.length > most ? `${escaped.slice(0, most - 1)}…` : escaped;
}

/** A value as one line of JSON that is safe on a terminal. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, escape);
}

/** Also a valid JSON escape: each UTF-16 code unit separately. */
function escape(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** A table of strangers' texts. Line breaks and tabs stay. The rest is escaped as in `printable`. */
export function printableLines(text: string): string {
  return text.replace(UNSEEN, (character) =>
    /[\n\t]/.test(character) ? character : escape(character),
  );
}
