/** Decimal digits as a number; undefined for anything else, and for what no number can hold exactly. */
export function readDecimal(text: string): number | undefined {
  if (text === '' || text.length > 15) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
