import { escapeUnsafe } from '@guard/config/contract/printable';

/** Makes a stranger's text safe as one line on a terminal. The result has at most `maxLength` characters. */
export function toPrintable(text: string, maxLength = 1000): string {
  const escaped = escapeUnsafe(text.slice(0, maxLength + 1));
  return escaped.length > maxLength ? `${escaped.slice(0, maxLength - 1)}…` : escaped;
}
