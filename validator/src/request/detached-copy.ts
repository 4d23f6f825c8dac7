/** A copy of a text. In V8, a substring keeps the whole original text in memory, for example a whole request. */
export function detachedCopy(text: string): string {
  return ` ${text}`.slice(1);
}
