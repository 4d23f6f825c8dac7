/** A copy of a text. A substring would keep the whole text in memory, for example a whole request. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
