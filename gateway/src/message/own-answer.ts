import type { VisitorRequest, VisitorResponse } from './message.ts';

/** A whole answer that comes from the gateway or the validator, and not from an origin. */
export interface OwnAnswer {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: Buffer;
}

/** A short text from the gateway. `fields` are more names and values in turn. */
export function plainAnswer(status: number, why: string, ...fields: string[]): OwnAnswer {
  return {
    status,
    fields: ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', ...fields],
    body: Buffer.from(`${why}\n`),
  };
}

/**
 * Sends an answer of the gateway itself: to HEAD without its body (RFC 9110 section 9.3.2), and with
 * the unread rest of an upload thrown away.
 */
export function serve(
  req: VisitorRequest,
  res: VisitorResponse,
  { status, fields, body }: OwnAnswer,
  lingerMs: number,
): void {
  const bodiless = status === 204 || status === 304;
  const framed = bodiless ? fields : [...fields, 'Content-Length', String(body.length)];
  linger(req, lingerMs);
  // Node's type asks for a mutable list; it only reads it.
  res.writeHead(status, framed as string[]);
  if (bodiless || req.method === 'HEAD') res.end();
  else res.end(body);
}

/**
 * Sends the last answer of a connection of HTTP/1.1, which closes when the upload has been read, or
 * after `lingerMs` (RFC 9112 section 9.6). A stream of HTTP/2 ends alone in any case.
 */
export function serveLast(
  req: VisitorRequest,
  res: VisitorResponse,
  { status, fields, body }: OwnAnswer,
  lingerMs: number,
): void {
  const answer = { status, fields: [...fields, 'Connection', 'close'], body };
  if (req.complete || !announcesBody(req) || req.httpVersionMajor === 2) {
    serve(req, res, answer, lingerMs);
    return;
  }
  // Not before the parser is through with what it has: where that is no HTTP, Node answers itself.
  process.nextTick(() => {
    if (req.socket.destroyed) return;
    res.writeHead(status, [...answer.fields, 'Content-Length', String(body.length)]);
    if (req.method === 'HEAD') res.flushHeaders();
    else res.write(body);
    // Node closes the connection at the end of the answer. By now the whole answer has gone out.
    if (req.complete) res.end();
    else req.once('end', () => res.end());
    linger(req, lingerMs);
  });
}

/**
 * Reads and discards what is left of an upload that was answered early: closing at once would reset
 * the connection, and the visitor would lose the answer (RFC 9112 section 9.6). Bounded by time.
 */
export function linger(req: VisitorRequest, lingerMs: number): void {
  if (req.complete || !announcesBody(req)) return;
  const timer = setTimeout(() => {
    if (!req.complete) req.socket.destroy();
  }, lingerMs);
  timer.unref();
  req.once('close', () => {
    clearTimeout(timer);
  });
  req.resume();
}

function announcesBody({ headers, httpVersionMajor }: VisitorRequest): boolean {
  // RFC 9113 section 8.1: there the frames say so, and `complete` has read them.
  if (httpVersionMajor === 2) return true;
  const length = headers['content-length'] ?? '0';
  return headers['transfer-encoding'] !== undefined || length !== '0';
}
