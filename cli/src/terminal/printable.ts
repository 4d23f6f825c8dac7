/** What a terminal obeys, or what hides or turns round the text beside it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text of a stranger as one line of a terminal: control codes, and characters that change the direction of a line,
 * are written as `\u001b`. At most `most` characters.
 */
export function printable(text: string, most = 1000): string {
  const escaped = text.slice(0, most + 1).replace(UNSEEN, escape);
  return escaped.length > most ? `${escaped.slice(0, most - 1)}…` : escaped;
}

/** A value as one line of JSON that no terminal obeys. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, escape);
}

/** In JSON too this is an escape: each UTF-16 code unit by itself. */
function escape(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** A table of strangers' texts: its line ends and tabs stay, and everything else is written as `printable` does. */
export function printableLines(text: string): string {
  return text.replace(UNSEEN, (character) =>
    /[\n\t]/.test(character) ? character : escape(character),
  );
}
