import { addAbortSignal, Readable } from 'node:stream';
import { readAtMost } from '@guard/config/net/read-at-most';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';

/** The part of the ClickHouse HTTP interface that Guard uses: one POST, one bounded answer. */

export interface Account {
  readonly user: string;
  readonly password: string;
}

interface DatabaseRequest {
  readonly account: Account;
  /** Parameters of ClickHouse's HTTP interface. No parameter comes from the caller of a query. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
  /** Time limit for the whole answer. */
  readonly timeoutMs: number;
  /** A longer answer is cut off, and its query is cancelled. */
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type DatabaseAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly contentType: string;
      /** `X-ClickHouse-Format`; empty when there is none. */
      readonly format: string;
      /** `X-ClickHouse-Exception-Code`; 0 when there is none. */
      readonly exceptionCode: number;
      readonly body: Buffer;
    }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'timeout' }
  /** There was no connection, or the connection ended before the answer was complete. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface DatabaseClient {
  /** Never rejects. */
  send(request: DatabaseRequest): Promise<DatabaseAnswer>;
  /** True when the server answers `/ping` in time. */
  ping(timeoutMs: number): Promise<boolean>;
  close(): void;
}

const MAX_CONNECTIONS = 16;

/** The library's limit for an idle connection. Guard does not need it, because each request has its own time limit. */
const NO_IDLE_LIMIT_MS = 24 * 60 * 60_000;

/** Error codes of a kept connection that the server closed just before the next request. */
const STALE_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** A client for the server at `base` (http or https), which keeps its connections alive. */
export function createDatabaseClient(base: URL): DatabaseClient {
  const client = createClient({
    url: base.origin,
    pathname: base.pathname,
    max_open_connections: MAX_CONNECTIONS,
    request_timeout: NO_IDLE_LIMIT_MS,
    compression: { request: false, response: false },
    log: { level: ClickHouseLogLevel.OFF },
  });

  /** Sends the request. Rejects with the cause when the head of the answer does not arrive. */
  function sendOnce(request: DatabaseRequest, signal: AbortSignal) {
    // The library handles a signal that fires during the request, but it ignores a signal that fired before.
    signal.throwIfAborted();
    const { query = '', query_id, ...settings } = request.parameters;
    return client.exec({
      query,
      values: Readable.from(request.body, { objectMode: false }),
      clickhouse_settings: settings,
      // When Guard gives no query id, the library makes one.
      ...(query_id === undefined ? {} : { query_id }),
      auth: { username: request.account.user, password: request.account.password },
      abort_signal: signal,
      // The caller needs the server's status and text, also of an error.
      ignore_error_response: true,
      decompress_response_stream: false,
    });
  }

  async function post(request: DatabaseRequest, signal: AbortSignal): Promise<DatabaseAnswer> {
    const answerHead = await sendOnce(request, signal).catch((error: unknown) => {
      if (!STALE_CODES.has(codeOf(error))) throw error;
      // No answer came, so the request is repeated. This is safe: inserts carry a token, and other requests only read
      // or can run twice without harm.
      return sendOnce(request, signal);
    });
    const { stream, response_headers, http_status_code } = answerHead;
    const body = await collect(stream, request.maxAnswerBytes, signal);
    if (body === undefined) return { kind: 'too_large' };
    return {
      kind: 'answered',
      status: http_status_code ?? 0,
      contentType: String(response_headers['content-type'] ?? 'text/plain; charset=utf-8'),
      format: String(response_headers['x-clickhouse-format'] ?? ''),
      exceptionCode: Number(response_headers['x-clickhouse-exception-code'] ?? 0),
      body,
    };
  }

  async function send(request: DatabaseRequest): Promise<DatabaseAnswer> {
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const endSignals = request.signal === undefined ? [deadline] : [deadline, request.signal];
    try {
      return await post(request, AbortSignal.any(endSignals));
    } catch (error) {
      if (request.signal?.aborted) return { kind: 'aborted' };
      if (deadline.aborted) return { kind: 'timeout' };
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    send,

    async ping(timeoutMs) {
      const { success } = await client.ping({
        select: false,
        abort_signal: AbortSignal.timeout(timeoutMs),
      });
      return success;
    },

    close: () => void client.close(),
  };
}

/**
 * Reads an answer to its end. When reading stops earlier, the connection is closed, and the database cancels the query.
 * Resolves with undefined when the answer is longer than `maxBytes`. Rejects with the error that interrupted the
 * answer, or the reason of `signal`.
 */
async function collect(
  stream: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  // The library stops listening to the signal once the head of the answer has arrived.
  addAbortSignal(signal, stream);
  return readAtMost(stream as AsyncIterable<Buffer>, maxBytes);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
