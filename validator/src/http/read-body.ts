import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The body of a request, or the fact that it is too long. */
export type Body = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long' };

/** The byte order mark U+FEFF (RFC 8259 section 8.1). Clients should not send it, but some do. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a body of at most `maxBytes` as UTF-8 text. Its Content-Type does not matter, because JSON is always UTF-8 (RFC
 * 8259 sections 8.1 and 11). A body in another encoding becomes empty text, which is no JSON. Replacement characters
 * could change the URL in the body.
 *
 * Calls `onBody` once: at the end, or when the body becomes too long. Then the rest of the body is discarded. When the
 * client disconnects early, `onBody` is not called, because no client waits for an answer.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Body) => void,
): void {
  if (Number(request.headers['content-length']) > maxBytes) {
    onBody({ kind: 'too_long' });
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
    onBody({ kind: 'too_long' });
  };
  const onEnd = (): void => {
    // Nearly always there is one chunk, which needs no copy.
    const [first] = chunks;
    const bytes = first?.length === length ? first : Buffer.concat(chunks, length);
    onBody({ kind: 'text', text: isUtf8(bytes) ? textOf(bytes) : '' });
  };
  request.on('data', onData).on('end', onEnd);
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
