import type { TransportFacts } from '@guard/config/contract/transport';

/**
 * What one browser does not change from request to request: the scheme, the cipher suites of its TLS handshake
 * (as JA4 has them, and whether GREASE stood among them), and the order of its HTTP/2 pseudo-header fields.
 * Other parts of the fingerprints differ between a new and a resumed connection, or between HTTP versions.
 * Three words with a blank between them. A part that Guard did not see is empty.
 */
export function clientClass(scheme: string, transport: TransportFacts | undefined): string {
  return `${scheme} ${transport === undefined ? ' ' : transportClass(transport)}`;
}

/**
 * Whether a request can be of the client that was judged. A part that was not seen fits every other. A pass on
 * http fits https too: many sites lead visitors from http to https.
 */
export function isSameClient(judged: string, now: string): boolean {
  if (judged === now || judged.startsWith('http ')) return true;
  const parts = now.split(' ');
  return judged
    .split(' ')
    .every((part, at) => part === '' || (parts[at] ?? '') === '' || part === parts[at]);
}

/** Of a connection, which has many requests. */
const known = new WeakMap<TransportFacts, string>();

function transportClass(transport: TransportFacts): string {
  const held = known.get(transport);
  if (held !== undefined) return held;
  const { hello, http2 } = transport;
  const [, ciphers = ''] = hello?.ja4.split('_') ?? [];
  const tls = hello && `${ciphers}${hello.greased ? 'g' : ''}`;
  const made = `${tls ?? ''} ${http2?.pseudoHeaders.replaceAll(',', '') ?? ''}`;
  known.set(transport, made);
  return made;
}
