import type { Socket } from 'node:net';

/** The result of reading the first bytes of a connection. */
export type Reading<T> =
  | { readonly kind: 'more' }
  /** The first `taken` bytes were read. The next reader of the socket gets the bytes after them. */
  | { readonly kind: 'enough'; readonly value: T; readonly taken: number };

interface FirstBytes<T> {
  /** Called with all bytes so far whenever new bytes come. Above some length it must return `enough`. */
  readonly read: (bytesSoFar: Buffer) => Reading<T>;
  readonly timeoutMs: number;
  /** The value when the time ends before enough bytes have come. */
  readonly lateValue: T;
  /** The value when the connection ended before enough bytes have come. */
  readonly goneValue: T;
}

/**
 * Reads the first bytes of a connection before the parser of its protocol gets them. Calls `callback` once. Until then
 * it handles errors of the socket. Afterwards none of its listeners is left.
 */
export function readFirstBytes<T>(
  socket: Socket,
  { read, timeoutMs, lateValue, goneValue }: FirstBytes<T>,
  callback: (value: T) => void,
): void {
  let heldBytes: Buffer = Buffer.alloc(0);

  const settle = (value: T, rest: Buffer) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('end', endEarly);
    socket.off('close', endEarly);
    socket.off('error', endEarly);
    if (rest.length > 0) socket.unshift(rest);
    callback(value);
  };
  const endEarly = () => {
    settle(goneValue, Buffer.alloc(0));
  };
  const look = () => {
    for (let part = nextPart(socket); part !== undefined; part = nextPart(socket)) {
      heldBytes = heldBytes.length === 0 ? part : Buffer.concat([heldBytes, part]);
      const reading = read(heldBytes);
      if (reading.kind === 'more') continue;
      settle(reading.value, heldBytes.subarray(reading.taken));
      return;
    }
  };
  const timer = setTimeout(() => {
    settle(lateValue, heldBytes);
  }, timeoutMs);
  socket.on('readable', look);
  socket.once('end', endEarly);
  socket.once('close', endEarly);
  socket.once('error', endEarly);
}

/** The bytes that have come. Undefined when there are none. A socket without an encoding gives Buffers. */
function nextPart(socket: Socket): Buffer | undefined {
  const part: unknown = socket.read();
  return Buffer.isBuffer(part) ? part : undefined;
}
