import type { Socket } from 'node:net';
import { isV4Mapped } from '@guard/config/net/address';
import { parseIp } from '@guard/config/net/cidr';
import { formatIpv4, formatIpv6 } from '@guard/config/net/format-address';
import { readFirstBytes, type Reading } from './first-bytes.ts';

/**
 * The header in which a balancer names the visitor: the PROXY protocol of HAProxy, versions 1 and 2
 * (proxy-protocol.txt, sections 2.1 and 2.2). Reading is strict. Any doubt ends the connection: after a misread header
 * the gateway would read wrong bytes as a request.
 */
type ProxyHeader =
  | { readonly kind: 'incomplete' }
  /** `why` is for the log. */
  | { readonly kind: 'malformed'; readonly why: string }
  | {
      readonly kind: 'read';
      /** Length of the header. The bytes after the header come from the visitor. */
      readonly bytes: number;
      /** Canonical address of the visitor. Undefined when the header names none (LOCAL, UNKNOWN, a unix socket). */
      readonly source: string | undefined;
    };

/** Longest line of version 1, its line end included (section 2.1). */
const MAX_LINE_BYTES = 107;
/**
 * Longest accepted header of version 2. Usual additions have a few hundred bytes. Certificates have a few thousand
 * bytes.
 */
export const MAX_PROXY_HEADER_BYTES = 8 * 1024;

const V1_START = Buffer.from('PROXY ', 'latin1');
const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_FIXED_BYTES = 16;

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };

/** Reads the PROXY header from the first bytes of a connection. More bytes can follow later. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsWith(bytes, V1_START)) return readLine(bytes);
  if (beginsWith(bytes, V2_SIGNATURE)) return readBinary(bytes);
  return malformedHeader('no PROXY header');
}

/** Whether the bytes that have come are the beginning of `start`, or begin with `start`. */
function beginsWith(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

function malformedHeader(why: string): ProxyHeader {
  return { kind: 'malformed', why };
}

/** Version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 4711 443` and CRLF. */
function readLine(bytes: Buffer): ProxyHeader {
  const maxEnd = Math.min(bytes.length, MAX_LINE_BYTES);
  let end = 0;
  while (end < maxEnd && (bytes[end] ?? 0) >= 0x20) end++;
  if (end === maxEnd)
    return maxEnd < MAX_LINE_BYTES ? INCOMPLETE : malformedHeader('a line that is too long');
  if (bytes[end] !== 0x0d) return malformedHeader('a control character in the line');
  if (end + 1 === MAX_LINE_BYTES) return malformedHeader('a line that is too long');
  if (end + 1 === bytes.length) return INCOMPLETE;
  if (bytes[end + 1] !== 0x0a) return malformedHeader('CR without LF');

  const text = bytes.toString('latin1', V1_START.length, end);
  // Section 2.1: the rest of the line after UNKNOWN is ignored.
  if (text === 'UNKNOWN' || text.startsWith('UNKNOWN ')) return completeHeader(end + 2, undefined);
  const source = sourceOfLine(text);
  return source === undefined
    ? malformedHeader('a line of another form')
    : completeHeader(end + 2, source);
}

function completeHeader(bytes: number, source: string | undefined): ProxyHeader {
  return { kind: 'read', bytes, source };
}

function sourceOfLine(text: string): string | undefined {
  const [protocol, source = '', target = '', ...ports] = text.split(' ');
  if (protocol !== 'TCP4' && protocol !== 'TCP6') return undefined;
  const isAddress = protocol === 'TCP4' ? isIpv4 : isIpv6;
  if (!isAddress(source) || !isAddress(target)) return undefined;
  return ports.length === 2 && ports.every(isPort) ? parseIp(source) : undefined;
}

function isIpv4(text: string): boolean {
  return !text.includes(':') && parseIp(text) !== undefined;
}

function isIpv6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && parseIp(text) !== undefined;
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

/** The length in bytes of the addresses, by family and transport. Other families are refused. */
const ADDRESS_FORMATS: ReadonlyMap<
  number,
  { readonly family: 4 | 6 | 'unix'; readonly bytes: number }
> = new Map([
  [0x11, { family: 4, bytes: 12 }],
  // These are for datagrams: the visitor reached the balancer over QUIC.
  [0x12, { family: 4, bytes: 12 }],
  [0x21, { family: 6, bytes: 36 }],
  [0x22, { family: 6, bytes: 36 }],
  [0x31, { family: 'unix', bytes: 216 }],
  [0x32, { family: 'unix', bytes: 216 }],
]);

/** Version 2: signature, version and command, family and transport, length, addresses, additions. */
function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_FIXED_BYTES) return INCOMPLETE;
  const command = bytes[12];
  if (command !== 0x20 && command !== 0x21) return malformedHeader('another version or command');
  const end = V2_FIXED_BYTES + bytes.readUInt16BE(14);
  if (end > MAX_PROXY_HEADER_BYTES) return malformedHeader('a header that is too long');
  if (bytes.length < end) return INCOMPLETE;
  // LOCAL: the balancer itself connects, for example for a health check. The rest of the header is not read.
  if (command === 0x20) return completeHeader(end, undefined);

  const transport = bytes[13] ?? 0;
  if (transport === 0) return completeHeader(end, undefined);
  const addresses = ADDRESS_FORMATS.get(transport);
  if (addresses === undefined) return malformedHeader('another family or transport');
  const additions = V2_FIXED_BYTES + addresses.bytes;
  if (additions > end) return malformedHeader('too short for its addresses');
  const fault = faultInAdditions(bytes.subarray(0, end), additions);
  if (fault !== undefined) return malformedHeader(fault);
  switch (addresses.family) {
    case 4:
      return completeHeader(end, formatIpv4(bytes.readUInt32BE(V2_FIXED_BYTES)));
    case 6:
      return completeHeader(end, ipv6At(bytes, V2_FIXED_BYTES));
    case 'unix':
      return completeHeader(end, undefined);
  }
}

function ipv6At(bytes: Buffer, at: number): string {
  const words = Uint32Array.from([0, 4, 8, 12], (offset) => bytes.readUInt32BE(at + offset));
  return isV4Mapped(words) ? formatIpv4(words[3] ?? 0) : formatIpv6(words);
}

const PP2_TYPE_CRC32C = 0x03;

/** Checks the additions after the addresses. Each has a type, a length and a value. */
function faultInAdditions(header: Buffer, start: number): string | undefined {
  let at = start;
  while (at < header.length) {
    if (at + 3 > header.length) return 'an addition that is cut off';
    const value = at + 3;
    const next = value + header.readUInt16BE(at + 1);
    if (next > header.length) return 'an addition that reaches beyond the header';
    if (header[at] === PP2_TYPE_CRC32C) {
      if (next - value !== 4) return 'a checksum of another length';
      if (crc32cWithBlank(header, value) !== header.readUInt32BE(value)) return 'a wrong checksum';
    }
    at = next;
  }
  return undefined;
}

/** The beginning of a connection that has to begin with a PROXY header. */
type Introduction =
  | { readonly kind: 'read'; readonly source: string | undefined }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'late' }
  /** The connection ended before its header was complete. Health checks of balancers cause this. */
  | { readonly kind: 'gone' };

/** Reads the PROXY header of a connection, and leaves the bytes after it. */
export function takeProxyHeader(
  socket: Socket,
  timeoutMs: number,
  callback: (introduction: Introduction) => void,
): void {
  const lateIntroduction: Introduction = { kind: 'late' };
  readFirstBytes<Introduction>(
    socket,
    { read: readIntroduction, timeoutMs, lateValue: lateIntroduction, goneValue: { kind: 'gone' } },
    callback,
  );
}

function readIntroduction(heldBytes: Buffer): Reading<Introduction> {
  const header = readProxyHeader(heldBytes);
  switch (header.kind) {
    case 'incomplete':
      return { kind: 'more' };
    case 'malformed':
      return { kind: 'enough', value: header, taken: heldBytes.length };
    case 'read':
      return {
        kind: 'enough',
        value: { kind: 'read', source: header.source },
        taken: header.bytes,
      };
  }
}

/** Castagnoli's polynomial, bits reversed (RFC 3720 section 12.1). */
const POLYNOMIAL = 0x82f63b78;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** CRC32C of `bytes` as an unsigned number, with the four bytes at `blankAt` counted as zero. */
export function crc32cWithBlank(bytes: Uint8Array, blankAt: number): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) {
    const byte = at >= blankAt && at < blankAt + 4 ? 0 : (bytes[at] ?? 0);
    crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
