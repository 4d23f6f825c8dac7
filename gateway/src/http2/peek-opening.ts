import type { TLSSocket } from 'node:tls';
import { readFirstBytes, type Reading } from '../listen/first-bytes.ts';
import { MAX_OPENING_BYTES, type OpeningFrames, readOpening } from './opening.ts';

/**
 * Reads the first frames of an HTTP/2 connection, and leaves them there. `done` is called once, with
 * undefined for what could not be read in time.
 */
export function peekOpening(
  socket: TLSSocket,
  timeoutMs: number,
  done: (frames: OpeningFrames | undefined) => void,
): void {
  readFirstBytes(socket, { read, timeoutMs, late: undefined, gone: undefined }, done);
}

function read(held: Buffer): Reading<OpeningFrames | undefined> {
  const opening = readOpening(held);
  switch (opening.kind) {
    case 'incomplete':
      return held.length < MAX_OPENING_BYTES ? { kind: 'more' } : seen(undefined);
    case 'unreadable':
      return seen(undefined);
    case 'read':
      return seen(opening.frames);
  }
}

function seen(value: OpeningFrames | undefined): Reading<OpeningFrames | undefined> {
  return { kind: 'enough', value, taken: 0 };
}
