import { hash } from 'node:crypto';

/** The parts of a JA4 fingerprint. The lists are in the order in which they were sent, without GREASE. */
interface Ja4Input {
  /** The highest version that the client offers. For example, 0x0304 is TLS 1.3. */
  readonly version: number;
  readonly namesServer: boolean;
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
  readonly signatureAlgorithms: readonly number[];
  /** The first protocol of ALPN. Empty without ALPN. */
  readonly alpn: Uint8Array;
}

const VERSION_CODES: ReadonlyMap<number, string> = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
]);

const NO_VALUES = '000000000000';
/** server_name and ALPN depend on the site, not on the visitor's program. */
const UNHASHED_EXTENSIONS: ReadonlySet<number> = new Set([0, 16]);

/**
 * The JA4 fingerprint of a TLS client over TCP, as FoxIO's public description defines it. The counts come first, as
 * text. Two truncated SHA-256 hashes follow: of the sorted cipher suites, and of the sorted extensions with the
 * signature algorithms. Because the lists are sorted, a client that shuffles its extensions keeps its fingerprint.
 */
export function ja4Of(input: Ja4Input): string {
  const { ciphers, extensions, signatureAlgorithms } = input;
  const counts = [
    't',
    VERSION_CODES.get(input.version) ?? '00',
    input.namesServer ? 'd' : 'i',
    twoDigits(ciphers.length),
    twoDigits(extensions.length),
    firstAndLastOf(input.alpn),
  ].join('');
  const types = hexList(
    extensions.filter((type) => !UNHASHED_EXTENSIONS.has(type)).sort(ascending),
  );
  const algorithms = signatureAlgorithms.length === 0 ? '' : `_${hexList(signatureAlgorithms)}`;
  return [
    counts,
    ciphers.length === 0 ? NO_VALUES : digest(hexList([...ciphers].sort(ascending))),
    extensions.length === 0 ? NO_VALUES : digest(types + algorithms),
  ].join('_');
}

function ascending(a: number, b: number): number {
  return a - b;
}

function twoDigits(count: number): string {
  return String(Math.min(count, 99)).padStart(2, '0');
}

/**
 * The first and last character of the protocol name. When one of them is not a letter or digit, the result is the first
 * and last character of the name in hex.
 */
function firstAndLastOf(alpn: Uint8Array): string {
  if (alpn.length === 0) return '00';
  const name = Buffer.from(alpn);
  const text = name.toString('latin1');
  const ends = text.slice(0, 1) + text.slice(-1);
  if (/^[0-9A-Za-z]{2}$/.test(ends)) return ends;
  const hex = name.toString('hex');
  return hex.slice(0, 1) + hex.slice(-1);
}

function hexList(values: readonly number[]): string {
  return values.map((value) => value.toString(16).padStart(4, '0')).join(',');
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 12);
}
