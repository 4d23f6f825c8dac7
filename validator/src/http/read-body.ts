import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';

/** U+FEFF at the very start (RFC 8259 8.1): nobody should send one, some editors and clients do. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads every body as text, whatever its Content-Type says: JSON is UTF-8 and has no charset (RFC 8259
 * 8.1, 11). A body in another encoding is read as empty, which is no JSON: decoding it with
 * replacement characters would make another URL of the one that was sent.
 */
export function readBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
    done(null, isUtf8(bytes) ? textOf(bytes) : ''),
  );
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
