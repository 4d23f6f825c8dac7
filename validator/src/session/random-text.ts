import { randomBytes } from 'node:crypto';

/** Number of characters that are made at once. One call of node:crypto for each text would take six times as long. */
const CHARS = 4_096;

let randomChars = '';
let usedCount = 0;

/** Returns random characters of base64url, with six random bits each. `chars` is at most 4,096. */
export function randomText(chars: number): string {
  if (usedCount + chars > randomChars.length) {
    randomChars = randomBytes((CHARS * 6) / 8).toString('base64url');
    usedCount = 0;
  }
  return randomChars.slice(usedCount, (usedCount += chars));
}
