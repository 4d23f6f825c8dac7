import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** The ClickHouse HTTP interface, as far as Guard speaks it: one POST, one bounded answer. */

export interface Account {
  readonly user: string;
  readonly password: string;
}

export interface DatabaseRequest {
  readonly account: Account;
  /** Parameters of the interface; never anything a client sent. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
  /** Until the whole answer is here. */
  readonly timeoutMs: number;
  /** A longer answer is cut off, and its query with it. */
  readonly maxAnswerBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type DatabaseAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly contentType: string;
      /** `X-ClickHouse-Exception-Code`; 0 when there is none. */
      readonly exceptionCode: number;
      readonly body: Buffer;
    }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'timeout' }
  /** No connection, or it ended before the answer did. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface DatabaseClient {
  /** Never rejects. */
  send(request: DatabaseRequest): Promise<DatabaseAnswer>;
  /** True when the server answers `/ping` in time. */
  ping(timeoutMs: number): Promise<boolean>;
  close(): void;
}

const MAX_SOCKETS = 16;

/** A client for the server at `base` (http or https), with its own kept-alive connections. */
export function createDatabaseClient(base: URL): DatabaseClient {
  const secure = base.protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: 4 };
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);

  function open(method: string, target: URL, headers: Record<string, string>): ClientRequest {
    const send = secure ? httpsRequest : httpRequest;
    return send(target, { method, headers, agent });
  }

  async function post(request: DatabaseRequest): Promise<DatabaseAnswer & { reused: boolean }> {
    const target = new URL(base);
    target.search = new URLSearchParams(request.parameters).toString();
    const length = request.body.reduce((sum, part) => sum + part.length, 0);
    const outgoing = open('POST', target, {
      'x-clickhouse-user': request.account.user,
      'x-clickhouse-key': request.account.password,
      'accept-encoding': 'identity',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(length),
    });
    const answer = collect(outgoing, request);
    for (const part of request.body) outgoing.write(part);
    outgoing.end();
    return { ...(await answer), reused: outgoing.reusedSocket };
  }

  return {
    async send(request) {
      const answer = await post(request);
      // A kept-alive connection may be closed by the server just as it is used again.
      return answer.kind === 'failed' && answer.reused ? post(request) : answer;
    },

    async ping(timeoutMs) {
      const outgoing = open('GET', new URL('ping', base), { 'accept-encoding': 'identity' });
      const answer = collect(outgoing, { timeoutMs, maxAnswerBytes: 1024, signal: undefined });
      outgoing.end();
      const result = await answer;
      return result.kind === 'answered' && result.status === 200;
    },

    close: () => agent.destroy(),
  };
}

/** Reads one answer up to its bounds. Whatever ends it early also ends the connection. */
function collect(
  outgoing: ClientRequest,
  bounds: Pick<DatabaseRequest, 'timeoutMs' | 'maxAnswerBytes' | 'signal'>,
): Promise<DatabaseAnswer> {
  const { timeoutMs, maxAnswerBytes, signal } = bounds;
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish({ kind: 'timeout' }), timeoutMs);
    const onAbort = (): void => finish({ kind: 'aborted' });

    function finish(answer: DatabaseAnswer): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // Destroying a request whose answer is complete would cost its connection.
      if (answer.kind !== 'answered') outgoing.destroy();
      resolve(answer);
    }

    // First of all: a request that is destroyed early still reports that as an error.
    outgoing.on('error', (error) => finish({ kind: 'failed', reason: error.message }));
    if (signal?.aborted) {
      finish({ kind: 'aborted' });
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.on('response', (incoming) => {
      const parts: Buffer[] = [];
      let length = 0;
      incoming.on('data', (part: Buffer) => {
        length += part.length;
        if (length > maxAnswerBytes) finish({ kind: 'too_large' });
        else parts.push(part);
      });
      incoming.on('error', (error) => finish({ kind: 'failed', reason: error.message }));
      incoming.on('end', () => finish(answered(incoming, Buffer.concat(parts))));
    });
  });
}

function answered(incoming: IncomingMessage, body: Buffer): DatabaseAnswer {
  return {
    kind: 'answered',
    status: incoming.statusCode ?? 0,
    contentType: incoming.headers['content-type'] ?? 'text/plain; charset=utf-8',
    exceptionCode: Number(incoming.headers['x-clickhouse-exception-code'] ?? 0),
    body,
  };
}
