import type { Socket } from 'node:net';
import type { ClientHello } from '@guard/config/contract/transport';
import { MAX_HELLO_BYTES, readFirstBytes } from './client-hello.ts';

/** How a connection begins. */
export type Beginning =
  | { readonly kind: 'tls'; readonly hello: ClientHello | undefined }
  /** Something that is not TLS, such as plain HTTP. */
  | { readonly kind: 'foreign' }
  /** It ended, or said too little within the time. */
  | { readonly kind: 'gone' };

/**
 * Reads the first message of a connection and gives the bytes back, so that a TLS library finds the
 * socket as if nobody had looked. `done` is called once; nothing listens to the socket afterwards.
 */
export function peekHello(
  socket: Socket,
  timeoutMs: number,
  done: (beginning: Beginning) => void,
): void {
  let held: Buffer = Buffer.alloc(0);

  const settle = (beginning: Beginning) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('close', lost);
    socket.off('error', lost);
    if (held.length > 0) socket.unshift(held);
    done(beginning);
  };
  const lost = () => {
    held = Buffer.alloc(0);
    settle({ kind: 'gone' });
  };
  const look = () => {
    for (let part = nextPart(socket); part !== undefined; part = nextPart(socket)) {
      held = held.length === 0 ? part : Buffer.concat([held, part]);
      const first = readFirstBytes(held);
      switch (first.kind) {
        case 'incomplete':
          if (held.length < MAX_HELLO_BYTES) continue;
          settle({ kind: 'tls', hello: undefined });
          return;
        case 'foreign':
          settle({ kind: 'foreign' });
          return;
        case 'unreadable':
          settle({ kind: 'tls', hello: undefined });
          return;
        case 'hello':
          settle({ kind: 'tls', hello: first.hello });
          return;
      }
    }
    if (socket.readableEnded) lost();
  };
  const timer = setTimeout(lost, timeoutMs);
  socket.on('readable', look);
  socket.once('close', lost);
  socket.once('error', lost);
}

/** What has come, at most; undefined when nothing is there. Sockets without an encoding give bytes. */
function nextPart(socket: Socket): Buffer | undefined {
  const part: unknown = socket.read();
  return Buffer.isBuffer(part) ? part : undefined;
}
