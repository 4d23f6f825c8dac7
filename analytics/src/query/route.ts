import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { decodeUtf8 } from '@guard/config/contract/json';
import { QUERY } from '@guard/config/contract/limits';
import type { QueryCaller, QueryOutcome, RunQuery } from '@guard/config/contract/ports';
import { endWait, goneSignal } from '@guard/config/net/waiting-caller';
import { BUSY } from './database-error.ts';

interface RouteOptions {
  readonly path: string;
  /** Finds the caller of a request. Returns undefined when the request has no valid credential. */
  readonly identify: (request: FastifyRequest) => QueryCaller | undefined;
  readonly runQuery: RunQuery;
}

const PIECE_BYTES = 64 * 1024;

/** Seconds after which the caller can try again. */
const RETRY_AFTER_S = 2;

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/**
 * Creates the route `POST /query` (contract 4.3, 5, 7.2) in its own scope, so that its parser and hooks do not affect
 * other routes. The parser reads every content type as text. The HTTP server itself answers 417 to an unknown `Expect`.
 */
export function createQueryRoute({ path, identify, runQuery }: RouteOptions): FastifyPluginAsync {
  /** Checks the credential first, so that a caller without a credential does not learn the allowed methods. */
  async function authorise(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.header('cache-control', 'no-store');
    if (identify(request) === undefined) {
      await answerUnauthorised(reply);
    } else if (request.method !== 'POST') {
      await answerText(reply.header('allow', 'POST'), 405, 'Only POST is served here.');
    }
  }

  async function answerQuery(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const sql = decodeStatement(request.body);
    // The caller is identified a second time, and not stored in the request, so that no other code can change it.
    const caller = identify(request);
    if (caller === undefined) return answerUnauthorised(reply);
    if (sql === undefined) return answerText(reply, 400, 'The body is not UTF-8 text.');
    if (sql.trim() === '') return answerText(reply, 400, 'The body has no statement.');
    const delivery = new Promise((resolve) => reply.raw.once('close', resolve));
    const outcome = await runQuery({
      ...caller,
      sql,
      signal: goneSignal(reply.raw),
      delivered: delivery,
    });
    return answerOutcome(reply, outcome);
  }

  const scope = (instance: FastifyInstance): Promise<void> => {
    takeStatements(instance, (kind, message, _request, reply) =>
      answerText(reply, kind === 'malformed' ? 400 : 502, message),
    );
    instance.addHook('onRequest', authorise);
    instance.post('', answerQuery);
    // `authorise` answers all methods except POST, so only requests for other paths below `path` arrive here.
    instance.setNotFoundHandler((_request, reply) => answerText(reply, 404, 'Not found.'));
    return Promise.resolve();
  };
  return async (instance) => {
    await instance.register(scope, { prefix: path });
  };
}

/** Answers a request that the HTTP server refused (`malformed`), or that failed in a handler (`unavailable`). */
type AnswerFailure = (
  kind: 'malformed' | 'unavailable',
  message: string,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;

/** Lets the routes of a scope accept a limited body of any content type. `decodeStatement` reads it. */
export function takeStatements(scope: FastifyInstance, answerFailure: AnswerFailure): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: QUERY.maxBodyBytes },
    (_request, body, callback) => callback(null, body),
  );
  scope.setErrorHandler(async (error: { statusCode?: number }, request, reply) => {
    const isBody = error.statusCode !== undefined && error.statusCode < 500;
    if (!isBody) {
      return answerFailure('unavailable', 'The query could not be relayed.', request, reply);
    }
    const message = `The request is malformed, or its body is larger than ${QUERY.maxBodyBytes} bytes.`;
    return answerFailure('malformed', message, request, reply);
  });
}

/** The body as text. Undefined when it is not UTF-8. */
export function decodeStatement(body: unknown): string | undefined {
  return Buffer.isBuffer(body) ? decodeUtf8(body) : '';
}

async function answerOutcome(reply: FastifyReply, outcome: QueryOutcome): Promise<void> {
  switch (outcome.kind) {
    case 'rows':
      return sendRows(reply, outcome);
    case 'revoked':
      return answerUnauthorised(reply);
    case 'refused':
      return answerText(reply, 400, outcome.message);
    case 'database_error':
      if (outcome.status === BUSY) void reply.header('retry-after', String(RETRY_AFTER_S));
      return answerText(reply, outcome.status, outcome.message);
    case 'too_large':
      return answerText(
        reply,
        502,
        'The answer is larger than 4 MiB. Ask for a smaller time window, or for fewer columns.',
      );
    case 'unavailable':
      return answerText(reply, 502, outcome.message);
  }
}

/** Sends rows. The caller must read the rows within a time limit, because they use memory and a slot of the key. */
export async function sendRows(
  reply: FastifyReply,
  { contentType, body }: Extract<QueryOutcome, { kind: 'rows' }>,
): Promise<void> {
  endWait(reply.raw);
  await reply
    .code(200)
    .header('content-type', contentType)
    .send(Readable.from(piecesOf(body)));
}

/** Cuts the answer into pieces of a stream (contract 4.3). Pieces are sent only as fast as the caller reads. */
function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

async function answerUnauthorised(reply: FastifyReply): Promise<void> {
  await reply.code(401).header('www-authenticate', 'Bearer').send();
}

async function answerText(reply: FastifyReply, status: number, message: string): Promise<void> {
  await reply.code(status).type(PLAIN_TEXT).send(`${message}\n`);
}
