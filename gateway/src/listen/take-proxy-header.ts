import type { Socket } from 'node:net';
import { readFirstBytes, type Reading } from './first-bytes.ts';
import { readProxyHeader } from './proxy-header.ts';

/** How a connection that is to begin with a PROXY header began. */
export type Introduction =
  | { readonly kind: 'read'; readonly source: string | undefined }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'late' }
  /** It ended before its header did, as the health checks of balancers do. */
  | { readonly kind: 'gone' };

/** Takes the PROXY header off a connection, and leaves what follows as if nobody had looked. */
export function takeProxyHeader(
  socket: Socket,
  timeoutMs: number,
  done: (introduction: Introduction) => void,
): void {
  const late: Introduction = { kind: 'late' };
  readFirstBytes<Introduction>(socket, { read, timeoutMs, late, gone: { kind: 'gone' } }, done);
}

function read(held: Buffer): Reading<Introduction> {
  const header = readProxyHeader(held);
  switch (header.kind) {
    case 'incomplete':
      return { kind: 'more' };
    case 'malformed':
      return { kind: 'enough', value: header, taken: held.length };
    case 'read':
      return {
        kind: 'enough',
        value: { kind: 'read', source: header.source },
        taken: header.bytes,
      };
  }
}
