import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** A request's body as it came in, or that it is longer than it may be. */
export type Body = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long' };

/** U+FEFF at the very start (RFC 8259 8.1): it should not be sent, and some editors and clients do. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a body of at most `maxBytes` as text, whatever its Content-Type says: JSON is UTF-8 and has no
 * charset (RFC 8259 8.1, 11). A body in another encoding is read as empty, which is no JSON: decoding
 * it with replacement characters would make another URL of the one that was sent.
 *
 * `done` is called once, and at the first byte too many; the rest is thrown away as it comes. Of an
 * upload that breaks off no client is left to hear, and it is not called.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Body) => void,
): void {
  if (Number(request.headers['content-length']) > maxBytes) {
    done({ kind: 'too_long' });
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    request.off('data', onData).off('end', onEnd).resume();
    done({ kind: 'too_long' });
  };
  const onEnd = (): void => {
    // Nearly always there is one, and it need not be copied.
    const [first] = chunks;
    const bytes = first?.length === length ? first : Buffer.concat(chunks, length);
    done({ kind: 'text', text: isUtf8(bytes) ? textOf(bytes) : '' });
  };
  request.on('data', onData).on('end', onEnd);
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
