import type { TLSSocket } from 'node:tls';
import { MAX_OPENING_BYTES, type OpeningFrames, readOpening } from './opening.ts';

/**
 * Reads the first frames of an HTTP/2 connection and gives the bytes back. `done` is called once,
 * with undefined for what could not be read in time; nothing listens to the socket afterwards.
 */
export function peekOpening(
  socket: TLSSocket,
  timeoutMs: number,
  done: (frames: OpeningFrames | undefined) => void,
): void {
  let held: Buffer = Buffer.alloc(0);

  const settle = (frames: OpeningFrames | undefined) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('close', ignore);
    if (held.length > 0) socket.unshift(held);
    done(frames);
  };
  const ignore = () => {
    held = Buffer.alloc(0);
    settle(undefined);
  };
  const look = () => {
    const part: unknown = socket.read();
    if (!Buffer.isBuffer(part)) return;
    held = held.length === 0 ? part : Buffer.concat([held, part]);
    const opening = readOpening(held);
    switch (opening.kind) {
      case 'incomplete':
        if (held.length >= MAX_OPENING_BYTES) settle(undefined);
        return;
      case 'unreadable':
        settle(undefined);
        return;
      case 'read':
        settle(opening.frames);
        return;
    }
  };
  const timer = setTimeout(() => {
    settle(undefined);
  }, timeoutMs);
  socket.on('readable', look);
  socket.once('close', ignore);
}
