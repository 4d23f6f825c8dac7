import type { TLSSocket } from 'node:tls';
import type { Http2Opening } from '@guard/config/contract/transport';
import { readFirstBytes, type Reading } from '../listen/first-bytes.ts';

/** RFC 9113 section 3.4: what every client sends first. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const FRAME_HEADER_BYTES = 9;
/** The most bytes of an opening that are read. A SETTINGS frame with every known identifier has 60 bytes. */
const MAX_OPENING_BYTES = 4 * 1024;
/** Browsers send at most six PRIORITY frames. The fingerprint is a key of tables, so a client must not make it long. */
const MAX_PRIORITIES = 16;

const HEADERS_FRAME = 1;
const PRIORITY_FRAME = 2;
const SETTINGS_FRAME = 4;
const WINDOW_UPDATE_FRAME = 8;

/** The frames before the first request, if they came together with the SETTINGS. */
export interface OpeningFrames {
  readonly settings: ReadonlyMap<number, number>;
  /**
   * The WINDOW_UPDATE of the connection. 0 when the first request came without a WINDOW_UPDATE. Undefined when no
   * request has come.
   */
  readonly windowUpdate: number | undefined;
  /** `stream:exclusive:dependency:weight` of the first {@link MAX_PRIORITIES} PRIORITY frames. */
  readonly priorities: readonly string[];
}

type OpeningBytes =
  | { readonly kind: 'incomplete' }
  /** The bytes are not HTTP/2. The HTTP/2 library refuses them. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'read'; readonly frames: OpeningFrames };

/**
 * Reads the first decrypted bytes of an HTTP/2 connection. The opening ends with the SETTINGS frame, because some
 * clients then wait for the server's answer to this frame.
 */
export function readOpening(bytes: Buffer): OpeningBytes {
  const start = Math.min(bytes.length, PREFACE.length);
  if (bytes.compare(PREFACE, 0, start, 0, start) !== 0) return { kind: 'unreadable' };

  const [first, ...later] = framesOf(bytes.subarray(PREFACE.length));
  if (first !== undefined && (first.type !== SETTINGS_FRAME || first.length % 6 !== 0)) {
    return { kind: 'unreadable' };
  }
  if (first?.payload === undefined) {
    return { kind: bytes.length < MAX_OPENING_BYTES ? 'incomplete' : 'unreadable' };
  }
  return {
    kind: 'read',
    frames: { settings: settingsOf(first.payload), ...framesBeforeRequest(later) },
  };
}

function framesBeforeRequest(frames: readonly Frame[]): Omit<OpeningFrames, 'settings'> {
  let windowUpdate: number | undefined;
  const priorities: string[] = [];
  for (const { type, stream, payload } of frames) {
    if (type === HEADERS_FRAME) {
      windowUpdate ??= 0;
      break;
    }
    if (type === WINDOW_UPDATE_FRAME && stream === 0 && payload?.length === 4) {
      windowUpdate ??= payload.readUInt32BE(0) & 0x7fff_ffff;
    } else if (type === PRIORITY_FRAME && payload?.length === 5) {
      if (priorities.length < MAX_PRIORITIES) priorities.push(priorityOf(stream, payload));
    }
  }
  return { windowUpdate, priorities };
}

interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly length: number;
  /** The payload. Undefined for the last frame when only a part of the frame has come. */
  readonly payload: Buffer | undefined;
}

/** Splits bytes into frames (RFC 9113 section 4.1). */
function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; bytes.length >= at + FRAME_HEADER_BYTES;) {
    const length = bytes.readUIntBE(at, 3);
    const from = at + FRAME_HEADER_BYTES;
    const isWhole = bytes.length >= from + length;
    frames.push({
      type: bytes.readUInt8(at + 3),
      stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
      length,
      payload: isWhole ? bytes.subarray(from, from + length) : undefined,
    });
    at = from + length;
  }
  return frames;
}

function settingsOf(payload: Buffer): Map<number, number> {
  const settings = new Map<number, number>();
  for (let at = 0; at < payload.length; at += 6) {
    settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
  }
  return settings;
}

function priorityOf(stream: number, payload: Buffer): string {
  const dependency = payload.readUInt32BE(0);
  const exclusive = dependency >>> 31;
  return `${stream}:${exclusive}:${dependency & 0x7fff_ffff}:${(payload[4] ?? 0) + 1}`;
}

/** The opening of a connection whose first request has come. `rawHeaders` are the fields of that request. */
export function describeOpening(
  { settings, windowUpdate, priorities }: OpeningFrames,
  rawHeaders: readonly string[],
): Http2Opening {
  const pseudoInitials: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.startsWith(':')) pseudoInitials.push(name.slice(1, 2));
  }
  const pseudoHeaders = pseudoInitials.join(',');
  const fingerprint = [
    [...settings].map(([id, value]) => `${id}:${value}`).join(';'),
    windowUpdate ?? '?',
    priorities.length === 0 ? '0' : priorities.join(','),
    pseudoHeaders,
  ].join('|');
  return { fingerprint, settings, pseudoHeaders };
}

/**
 * Reads the first frames of an HTTP/2 connection, and leaves the bytes for the HTTP/2 library. `onRead` is called once,
 * with undefined when the frames could not be read in time.
 */
export function peekOpening(
  socket: TLSSocket,
  timeoutMs: number,
  onRead: (frames: OpeningFrames | undefined) => void,
): void {
  readFirstBytes(
    socket,
    { read: readFrames, timeoutMs, lateValue: undefined, goneValue: undefined },
    onRead,
  );
}

function readFrames(heldBytes: Buffer): Reading<OpeningFrames | undefined> {
  const opening = readOpening(heldBytes);
  if (opening.kind === 'incomplete') return { kind: 'more' };
  const value = opening.kind === 'read' ? opening.frames : undefined;
  return { kind: 'enough', value, taken: 0 };
}
