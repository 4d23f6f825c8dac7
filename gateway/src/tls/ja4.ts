import { hash } from 'node:crypto';

/** What JA4 is made of, each list as sent and without GREASE. */
export interface Ja4Input {
  /** The highest version on offer, as on the wire: 0x0304 is TLS 1.3. */
  readonly version: number;
  /** A server_name extension is there. */
  readonly namesServer: boolean;
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
  readonly signatureAlgorithms: readonly number[];
  /** The first protocol of ALPN; empty without any. */
  readonly alpn: Uint8Array;
}

const VERSIONS: ReadonlyMap<number, string> = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
]);

const NOTHING = '000000000000';
/** Both say where the visitor went, not what the visitor is. */
const NOT_HASHED: ReadonlySet<number> = new Set([0, 16]);

/**
 * The JA4 fingerprint of a TLS client over TCP (FoxIO's public description of JA4): what is countable
 * in plain text, then the sorted cipher suites and the sorted extensions with the signature algorithms
 * as two truncated SHA-256. Sorting makes it the same for clients that shuffle their extensions.
 */
export function ja4Of(input: Ja4Input): string {
  const { ciphers, extensions, signatureAlgorithms } = input;
  const counted = [
    't',
    VERSIONS.get(input.version) ?? '00',
    input.namesServer ? 'd' : 'i',
    twoDigits(ciphers.length),
    twoDigits(extensions.length),
    endsOf(input.alpn),
  ].join('');
  const types = hexList(extensions.filter((type) => !NOT_HASHED.has(type)).sort(ascending));
  const algorithms = signatureAlgorithms.length === 0 ? '' : `_${hexList(signatureAlgorithms)}`;
  return [
    counted,
    ciphers.length === 0 ? NOTHING : digest(hexList([...ciphers].sort(ascending))),
    extensions.length === 0 ? NOTHING : digest(types + algorithms),
  ].join('_');
}

function ascending(a: number, b: number): number {
  return a - b;
}

function twoDigits(count: number): string {
  return String(Math.min(count, 99)).padStart(2, '0');
}

/** First and last character of the protocol name; of its hex form where one of them is no letter or digit. */
function endsOf(alpn: Uint8Array): string {
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
