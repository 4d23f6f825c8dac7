const MAX_LENGTH = 16_384;

/** Error codes by which servers of a cluster say that they did not reach each other. */
export const UNREACHED: ReadonlyMap<number, string> = new Map([
  [100, 'UNKNOWN_PACKET_FROM_SERVER'],
  [102, 'UNEXPECTED_PACKET_FROM_SERVER'],
  [198, 'DNS_ERROR'],
  [209, 'SOCKET_TIMEOUT'],
  [210, 'NETWORK_ERROR'],
  [279, 'ALL_CONNECTION_TRIES_FAILED'],
  [369, 'ALL_REPLICAS_ARE_STALE'],
]);

/**
 * A refusal of the database as a client may read it: its own words (code, exception text, error
 * identifier; contract 7.2), without what they tell about the installation.
 *
 * @param secrets paths and host names that must not show.
 */
export function publicMessage(body: Buffer, secrets: readonly string[]): string {
  let text = body.toString('utf8', 0, MAX_LENGTH).trim();
  const code = Number(/^Code: (\d+)\./.exec(text)?.[1]);
  const identifier = UNREACHED.get(code);
  // Such a text is little else than addresses of servers, in many forms.
  if (identifier !== undefined) {
    return `Code: ${code}. DB::Exception: A server of the analytics database cannot be reached. (${identifier})`;
  }
  for (const secret of secrets) text = text.replaceAll(secret, '…');
  return text
    .replaceAll(/ \(version [^()]*(?:\([^()]*\))?[^()]*\)/g, '')
    .replaceAll(/Received from [^ ]+:\d+\. /g, '');
}
