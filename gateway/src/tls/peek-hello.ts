import type { Socket } from 'node:net';
import type { ClientHello } from '@guard/config/contract/transport';
import { readFirstBytes, type Reading } from '../listen/first-bytes.ts';
import { MAX_HELLO_BYTES, readHello } from './client-hello.ts';

/** How a connection begins. */
export type Beginning =
  | { readonly kind: 'tls'; readonly hello: ClientHello | undefined }
  /** Something that is not TLS, such as plain HTTP. */
  | { readonly kind: 'foreign' }
  /** It ended, or said too little within the time. */
  | { readonly kind: 'gone' };

/** Reads the first message of a connection, and leaves it there for a TLS library. */
export function peekHello(
  socket: Socket,
  timeoutMs: number,
  done: (beginning: Beginning) => void,
): void {
  const gone: Beginning = { kind: 'gone' };
  readFirstBytes<Beginning>(socket, { read, timeoutMs, late: gone, gone }, done);
}

function read(held: Buffer): Reading<Beginning> {
  const first = readHello(held);
  switch (first.kind) {
    case 'incomplete':
      return held.length < MAX_HELLO_BYTES
        ? { kind: 'more' }
        : seen({ kind: 'tls', hello: undefined });
    case 'foreign':
      return seen({ kind: 'foreign' });
    case 'unreadable':
      return seen({ kind: 'tls', hello: undefined });
    case 'hello':
      return seen({ kind: 'tls', hello: first.hello });
  }
}

function seen(value: Beginning): Reading<Beginning> {
  return { kind: 'enough', value, taken: 0 };
}
