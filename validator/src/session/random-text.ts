import { randomBytes } from 'node:crypto';

/** So many characters are made at once. One call of node:crypto for each text takes six times as long. */
const CHARS = 4_096;

let drawn = '';
let used = 0;

/** Returns random characters of base64url, with six random bits each. `chars` is at most 4,096. */
export function randomText(chars: number): string {
  if (used + chars > drawn.length) {
    drawn = randomBytes((CHARS * 6) / 8).toString('base64url');
    used = 0;
  }
  return drawn.slice(used, (used += chars));
}
