const MAX_LENGTH = 16_384;

/**
 * A refusal of the database as a client may read it: its own words (code, exception text, error
 * identifier; spec 7.2), without what they tell about the installation.
 *
 * @param secrets paths and host names that must not show.
 */
export function publicMessage(body: Buffer, secrets: readonly string[]): string {
  let text = body.toString('utf8', 0, MAX_LENGTH).trim();
  for (const secret of secrets) text = text.replaceAll(secret, '…');
  return text
    .replaceAll(/ \(version [^()]*(?:\([^()]*\))?[^()]*\)/g, '')
    .replaceAll(/Received from [^ ]+:\d+\. /g, '');
}
