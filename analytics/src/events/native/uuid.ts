import type { NumberList } from './number-list.ts';

/** Value of each hexadecimal digit, by its character code; -1 for every other character. */
const DIGITS = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

const LENGTH = 36;
const DASH = 0x2d;

/**
 * Adds a UUID as ClickHouse keeps it: two 64-bit numbers, of each the lower half first. What is no
 * UUID is added as the nil UUID.
 */
export function pushUuid(list: NumberList, text: string): void {
  const first = eightDigits(text, 0, 4);
  const second = eightDigits(text, 9, 14);
  const third = eightDigits(text, 19, 24);
  const fourth = eightDigits(text, 28, 32);
  const valid =
    text.length === LENGTH &&
    hasDashes(text) &&
    first >= 0 &&
    second >= 0 &&
    third >= 0 &&
    fourth >= 0;
  list.push(valid ? second : 0);
  list.push(valid ? first : 0);
  list.push(valid ? fourth : 0);
  list.push(valid ? third : 0);
}

function hasDashes(text: string): boolean {
  return (
    text.charCodeAt(8) === DASH &&
    text.charCodeAt(13) === DASH &&
    text.charCodeAt(18) === DASH &&
    text.charCodeAt(23) === DASH
  );
}

/** Two groups of four digits as one number; negative when one of them is no digit. */
function eightDigits(text: string, high: number, low: number): number {
  return fourDigits(text, high) * 2 ** 16 + fourDigits(text, low);
}

/** So far below zero that no other group makes up for it, when one is no digit. */
function fourDigits(text: string, at: number): number {
  let value = 0;
  let problems = 0;
  for (let offset = at; offset < at + 4; offset += 1) {
    const digit = DIGITS[text.charCodeAt(offset)] ?? -1;
    value = value * 16 + digit;
    problems |= digit;
  }
  return problems < 0 ? -(2 ** 32) : value;
}
