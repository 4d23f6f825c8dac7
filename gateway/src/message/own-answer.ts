import type { VisitorRequest, VisitorResponse } from './message.ts';

/** A whole answer that comes from the gateway or the validator, and not from an origin. */
export interface OwnAnswer {
  readonly status: number;
  readonly fields: readonly string[];
  readonly body: Buffer;
  /** Makes the body in gzip, for a visitor who accepts it. */
  readonly gzip?: (() => Buffer) | undefined;
}

/** The answer with its body in gzip, if the answer can be sent in gzip. */
export function inGzip(answer: OwnAnswer): OwnAnswer {
  const { status, fields, gzip } = answer;
  if (gzip === undefined) return answer;
  const gzipFields = ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'];
  return { status, fields: [...fields, ...gzipFields], body: gzip() };
}

/** A short text from the gateway. `fields` are additional names and values in turn. */
export function plainAnswer(status: number, text: string, ...fields: string[]): OwnAnswer {
  return {
    status,
    fields: ['Content-Type', 'text/plain; charset=utf-8', 'Cache-Control', 'no-store', ...fields],
    body: Buffer.from(`${text}\n`),
  };
}

/** Sends an answer of the gateway. HEAD gets no body (RFC 9110 section 9.3.2). The rest of an upload is discarded. */
export function serve(
  req: VisitorRequest,
  res: VisitorResponse,
  { status, fields, body }: OwnAnswer,
  lingerMs: number,
): void {
  const isBodiless = status === 204 || status === 304;
  const framedFields = isBodiless ? fields : [...fields, 'Content-Length', String(body.length)];
  linger(req, lingerMs);
  // Node's type requires a mutable list, but Node only reads it.
  res.writeHead(status, framedFields as string[]);
  if (isBodiless || req.method === 'HEAD') res.end();
  else res.end(body);
}

/**
 * Sends the last answer of an HTTP/1.1 connection. The connection closes when the upload was read, or after
 * `lingerMs` (RFC 9112 section 9.6). With HTTP/2 only the stream ends.
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
  // The parser first has to read the bytes that have come. When they are not HTTP, Node itself answers.
  process.nextTick(() => {
    if (req.socket.destroyed) return;
    res.writeHead(status, [...answer.fields, 'Content-Length', String(body.length)]);
    if (req.method === 'HEAD') res.flushHeaders();
    else res.write(body);
    // Node closes the connection when the answer ends, so `end` is called last.
    if (req.complete) res.end();
    else req.once('end', () => res.end());
    linger(req, lingerMs);
  });
}

/**
 * Reads and discards the rest of an upload that was answered early, for at most `lingerMs`. Closing at once would
 * reset the connection, and the visitor would not get the answer (RFC 9112 section 9.6).
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
  // In HTTP/2 the frames show whether there is a body (RFC 9113 section 8.1), and `complete` has this fact.
  if (httpVersionMajor === 2) return true;
  const length = headers['content-length'] ?? '0';
  return headers['transfer-encoding'] !== undefined || length !== '0';
}
