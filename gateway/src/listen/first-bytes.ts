import type { Socket } from 'node:net';

/** What the first bytes of a connection say. */
export type Reading<T> =
  | { readonly kind: 'more' }
  /** `taken` bytes are used up. The next reader of the socket gets the bytes after them. */
  | { readonly kind: 'enough'; readonly value: T; readonly taken: number };

export interface FirstBytes<T> {
  /** Called with all bytes so far whenever new ones come. It must answer `enough` at some length. */
  readonly read: (held: Buffer) => Reading<T>;
  readonly timeoutMs: number;
  /** The value when the time is over. */
  readonly late: T;
  /** The value when the connection ended before. */
  readonly gone: T;
}

/**
 * Reads the first bytes of a connection before the parser of its protocol gets them. Calls `done` once. Until then it
 * handles errors of the socket. Afterwards none of its listeners is left.
 */
export function readFirstBytes<T>(
  socket: Socket,
  { read, timeoutMs, late, gone }: FirstBytes<T>,
  done: (value: T) => void,
): void {
  let held: Buffer = Buffer.alloc(0);

  const settle = (value: T, rest: Buffer) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('end', lost);
    socket.off('close', lost);
    socket.off('error', lost);
    if (rest.length > 0) socket.unshift(rest);
    done(value);
  };
  const lost = () => {
    settle(gone, Buffer.alloc(0));
  };
  const look = () => {
    for (let part = nextPart(socket); part !== undefined; part = nextPart(socket)) {
      held = held.length === 0 ? part : Buffer.concat([held, part]);
      const reading = read(held);
      if (reading.kind === 'more') continue;
      settle(reading.value, held.subarray(reading.taken));
      return;
    }
  };
  const timer = setTimeout(() => {
    settle(late, held);
  }, timeoutMs);
  socket.on('readable', look);
  socket.once('end', lost);
  socket.once('close', lost);
  socket.once('error', lost);
}

/** The bytes that have come. Undefined when there are none. A socket without an encoding gives Buffers. */
function nextPart(socket: Socket): Buffer | undefined {
  const part: unknown = socket.read();
  return Buffer.isBuffer(part) ? part : undefined;
}
