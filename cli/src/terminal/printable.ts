import { escapeUnsafe } from '@guard/config/contract/printable';

/** Makes a stranger's text safe as one line on a terminal. The result has at most `maxLength` characters. */
export function toPrintable(text: string, maxLength = 1000): string {
  const escapedText = escapeUnsafe(text.slice(0, maxLength + 1));
  return escapedText.length > maxLength ? `${escapedText.slice(0, maxLength - 1)}…` : escapedText;
}
