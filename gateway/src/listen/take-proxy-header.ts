import type { Socket } from 'node:net';
import { readProxyHeader } from './proxy-header.ts';

/** How a connection that is to begin with a PROXY header began. */
export type Introduction =
  | { readonly kind: 'read'; readonly source: string | undefined }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'late' }
  /** It ended before its header did, as the health checks of balancers do. */
  | { readonly kind: 'gone' };

/**
 * Takes the PROXY header off a connection, and leaves what follows as if nobody had looked. `done` is
 * called once; nothing listens to the socket afterwards, and none of its errors is left unheard before.
 */
export function takeProxyHeader(
  socket: Socket,
  timeoutMs: number,
  done: (introduction: Introduction) => void,
): void {
  let held: Buffer = Buffer.alloc(0);

  const settle = (introduction: Introduction) => {
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('end', lost);
    socket.off('close', lost);
    socket.off('error', lost);
    done(introduction);
  };
  const lost = () => {
    settle({ kind: 'gone' });
  };
  const look = () => {
    for (let part = nextPart(socket); part !== undefined; part = nextPart(socket)) {
      held = held.length === 0 ? part : Buffer.concat([held, part]);
      const header = readProxyHeader(held);
      switch (header.kind) {
        case 'incomplete':
          continue;
        case 'malformed':
          settle(header);
          return;
        case 'read':
          if (header.bytes < held.length) socket.unshift(held.subarray(header.bytes));
          settle({ kind: 'read', source: header.source });
          return;
      }
    }
  };
  const timer = setTimeout(() => {
    settle({ kind: 'late' });
  }, timeoutMs);
  socket.on('readable', look);
  socket.once('end', lost);
  socket.once('close', lost);
  socket.once('error', lost);
}

/** What has come; undefined when nothing is there. Sockets without an encoding give bytes. */
function nextPart(socket: Socket): Buffer | undefined {
  const part: unknown = socket.read();
  return Buffer.isBuffer(part) ? part : undefined;
}
