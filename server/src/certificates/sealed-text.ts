import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text with the first secret. People who can read the store must not get private keys. */
export function sealText(secrets: readonly string[], text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secrets[0] ?? ''), nonce);
  const encryptedText = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encryptedText]).toString('base64');
}

/** Decrypts a text that was encrypted with one of the secrets. Undefined for any other text. */
export function openText(secrets: readonly string[], sealedText: string): string | undefined {
  const bytes = Buffer.from(sealedText, 'base64');
  const [nonce, tagAndText] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
  if (tagAndText.length < TAG_BYTES) return undefined;
  for (const secret of secrets) {
    try {
      const decipher = createDecipheriv(CIPHER, keyOf(secret), nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(tagAndText.subarray(0, TAG_BYTES));
      const decrypted = [decipher.update(tagAndText.subarray(TAG_BYTES)), decipher.final()];
      return Buffer.concat(decrypted).toString('utf8');
    } catch {
      // The text can be encrypted with another of the secrets, because secrets are rotated.
    }
  }
  return undefined;
}

/** Derives a key that only this file uses. */
function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'guard/certificates', 32));
}
