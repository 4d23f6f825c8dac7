import type { Socket } from 'node:net';
import type { ClientHello } from '@guard/config/contract/transport';
import { readFirstBytes, type Reading } from '../listen/first-bytes.ts';
import { ja4Of } from './ja4.ts';

/** Guard looks for a ClientHello in this many bytes at the beginning of a connection. */
export const MAX_HELLO_BYTES = 16 * 1024;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;
const MAX_RECORD_BYTES = 1 << 14;

type HelloReading =
  | { readonly kind: 'incomplete' }
  /** The bytes are not TLS. */
  | { readonly kind: 'foreign' }
  /** The bytes are TLS, but the hello is too long or malformed. The TLS library decides whether to accept it. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'hello'; readonly hello: ClientHello; readonly isAcme?: true };

/**
 * Reads the ClientHello at the start of a connection. A hello can be split over several records (RFC 8446 section 5.1),
 * and a record over several packets. The result is `incomplete` until the last byte has come.
 */
export function readHello(bytes: Uint8Array): HelloReading {
  if (bytes.length === 0) return { kind: 'incomplete' };
  if (bytes[0] !== HANDSHAKE_RECORD || (bytes.length > 1 && bytes[1] !== 3)) {
    return { kind: 'foreign' };
  }
  const message = firstMessage(bytes);
  if (message === 'incomplete') {
    return { kind: bytes.length < MAX_HELLO_BYTES ? 'incomplete' : 'unreadable' };
  }
  const parsedHello = message === 'malformed' ? undefined : parseClientHello(message);
  return parsedHello === undefined ? { kind: 'unreadable' } : { kind: 'hello', ...parsedHello };
}

/** The body of the first handshake message. Its records are joined when all of them have come. */
function firstMessage(bytes: Uint8Array): Uint8Array | 'incomplete' | 'malformed' {
  const parts: Uint8Array[] = [];
  const header: number[] = [];
  let haveBytes = 0;
  for (let at = 0; haveBytes < wantedBytes(header);) {
    const record = recordAt(bytes, at);
    if (typeof record === 'string') return record;
    for (let i = 0; header.length < 4 && i < record.length; i++) header.push(record[i] ?? 0);
    const isHello = header.length === 0 || header[0] === CLIENT_HELLO;
    if (!isHello || wantedBytes(header) > MAX_HELLO_BYTES) return 'malformed';
    parts.push(record);
    haveBytes += record.length;
    at += RECORD_HEADER_BYTES + uint16(bytes, at + 3);
    if (bytes.length < at && haveBytes < wantedBytes(header)) return 'incomplete';
  }
  const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts);
  return whole?.subarray(4, wantedBytes(header)) ?? 'malformed';
}

/** The length of a message with its header. Until the four bytes of the header have come, the result is 4. */
function wantedBytes(header: readonly number[]): number {
  return header.length < 4 ? 4 : 4 + (((header[1] ?? 0) << 16) | uint16(header, 2));
}

/** The part of a record's payload that has come. */
function recordAt(bytes: Uint8Array, at: number): Uint8Array | 'incomplete' | 'malformed' {
  const from = at + RECORD_HEADER_BYTES;
  if (bytes.length < from) return 'incomplete';
  const length = uint16(bytes, at + 3);
  if (bytes[at] !== HANDSHAKE_RECORD || length === 0 || length > MAX_RECORD_BYTES) {
    return 'malformed';
  }
  return bytes.subarray(from, from + length);
}

const ACME_PROTOCOL = Buffer.from('acme-tls/1');
const SERVER_NAME_EXTENSION = 0;
const SIGNATURE_ALGORITHMS_EXTENSION = 13;
const ALPN_EXTENSION = 16;
const SUPPORTED_VERSIONS_EXTENSION = 43;

/** Parses the body of a ClientHello. Undefined when a length in it is wrong. */
function parseClientHello(
  body: Uint8Array,
): { readonly hello: ClientHello; readonly isAcme?: true } | undefined {
  const reader = new Reader(body);
  const legacyVersion = reader.uint16();
  reader.bytes(32);
  reader.bytes(reader.uint8());
  const allCiphers = reader.uint16List(reader.uint16());
  reader.bytes(reader.uint8());
  const allExtensions: number[] = [];
  let signatureAlgorithms: readonly number[] = [];
  let versions: readonly number[] = [];
  let alpn: Uint8Array = new Uint8Array();
  // Without extensions the message ends here (RFC 5246 section 7.4.1.2).
  const extensionReader = reader.isAtEnd()
    ? new Reader(new Uint8Array())
    : reader.subReader(reader.uint16());
  while (!extensionReader.isAtEnd()) {
    const type = extensionReader.uint16();
    const extension = extensionReader.subReader(extensionReader.uint16());
    allExtensions.push(type);
    switch (type) {
      case SIGNATURE_ALGORITHMS_EXTENSION:
        signatureAlgorithms = extension.uint16List(extension.uint16());
        break;
      case SUPPORTED_VERSIONS_EXTENSION:
        versions = extension.uint16List(extension.uint8());
        break;
      case ALPN_EXTENSION: {
        const names = extension.subReader(extension.uint16());
        alpn = names.bytes(names.uint8());
        extensionReader.isBroken ||= names.isBroken;
        break;
      }
    }
    extensionReader.isBroken ||= extension.isBroken;
  }
  if (reader.isBroken || extensionReader.isBroken || !reader.isAtEnd()) return undefined;

  const ciphers = allCiphers.filter(isNotGrease);
  const extensions = allExtensions.filter(isNotGrease);
  const offeredVersions = versions.filter(isNotGrease);
  const hello: ClientHello = {
    ja4: ja4Of({
      version: offeredVersions.length === 0 ? legacyVersion : Math.max(...offeredVersions),
      namesServer: extensions.includes(SERVER_NAME_EXTENSION),
      ciphers,
      extensions,
      signatureAlgorithms: signatureAlgorithms.filter(isNotGrease),
      alpn,
    }),
    greased: ciphers.length < allCiphers.length && extensions.length < allExtensions.length,
    ciphers,
    extensions,
  };
  return ACME_PROTOCOL.equals(alpn) ? { hello, isAcme: true } : { hello };
}

/** False for the values 0x0a0a, 0x1a1a … 0xfafa, which have no meaning (RFC 8701). */
function isNotGrease(value: number): boolean {
  return (value & 0x0f0f) !== 0x0a0a || value >> 8 !== (value & 0xff);
}

function uint16(bytes: ArrayLike<number>, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** Reads values one after the other. When it reads beyond the end, it returns zeros, and `isBroken` becomes true. */
class Reader {
  isBroken = false;
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.isBroken || this.#offset === this.#bytes.length;
  }

  bytes(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      this.isBroken = true;
      return new Uint8Array();
    }
    const part = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return part;
  }

  uint8(): number {
    return this.bytes(1)[0] ?? 0;
  }

  uint16(): number {
    return uint16(this.bytes(2), 0);
  }

  uint16List(byteLength: number): number[] {
    const part = this.bytes(byteLength);
    if (part.length % 2 !== 0) this.isBroken = true;
    const values: number[] = [];
    for (let at = 0; at + 1 < part.length; at += 2) values.push(uint16(part, at));
    return values;
  }

  subReader(length: number): Reader {
    return new Reader(this.bytes(length));
  }
}

type Beginning =
  | {
      readonly kind: 'tls';
      readonly hello: ClientHello | undefined;
      /** True when a certificate authority asks for the proof of tls-alpn-01 (RFC 8737). */
      readonly isAcme?: true;
    }
  /** The connection does not begin with TLS, but for example with plain HTTP. */
  | { readonly kind: 'foreign' }
  /** The connection ended, or its first message did not come in time. */
  | { readonly kind: 'gone' };

/** Reads the first message of a connection, and leaves its bytes for the TLS library. */
export function peekHello(
  socket: Socket,
  timeoutMs: number,
  callback: (beginning: Beginning) => void,
): void {
  const goneBeginning: Beginning = { kind: 'gone' };
  readFirstBytes<Beginning>(
    socket,
    { read: readBeginning, timeoutMs, lateValue: goneBeginning, goneValue: goneBeginning },
    callback,
  );
}

function readBeginning(heldBytes: Buffer): Reading<Beginning> {
  const reading = readHello(heldBytes);
  switch (reading.kind) {
    case 'incomplete':
      return { kind: 'more' };
    case 'foreign':
      return enough({ kind: 'foreign' });
    case 'unreadable':
      return enough({ kind: 'tls', hello: undefined });
    case 'hello':
      return enough({ ...reading, kind: 'tls' });
  }
}

function enough(value: Beginning): Reading<Beginning> {
  return { kind: 'enough', value, taken: 0 };
}
