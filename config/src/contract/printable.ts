/**
 * Characters that a terminal executes, that split a line of a log, that change the direction of text, or that are
 * invisible. In a stranger's text they can hide a part of it, or make it look like another text.
 */
const UNSAFE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Returns the text with unsafe characters as JSON escapes, such as `\u001b`. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, escapeCharacter);
}

/** Does the same as {@link escapeUnsafe}, but keeps line breaks and tabs. */
export function escapeUnsafeInLines(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  );
}

/** Each UTF-16 code unit gets its own escape, because JSON has no other form. */
function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
