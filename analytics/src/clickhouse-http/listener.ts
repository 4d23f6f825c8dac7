import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type {
  QueryCaller,
  AuthenticateBearer,
  QueryOutcome,
  RunQuery,
} from '@guard/config/contract/ports';
import { goneSignal } from '@guard/config/net/waiting-caller';
import type { EngineState } from '../database/engine.ts';
import { readAsWriter } from '../query/list-columns.ts';
import { decodeStatement, sendRows, takeStatements } from '../query/route.ts';
import { asksForVersion, introspect, type ServerInfo } from './introspect.ts';
import { fillIn } from './parameters.ts';
import { findCaller, parseRequest, type ParsedRequest } from './request.ts';

interface ListenerOptions {
  readonly state: () => EngineState;
  readonly authenticate: AuthenticateBearer;
  readonly runQuery: RunQuery;
}

/** For each error of Guard, the status, code and name of the matching ClickHouse error. */
const CLICKHOUSE_ERRORS = {
  malformed: { status: 400, code: 62, name: 'SYNTAX_ERROR' },
  refused: { status: 403, code: 497, name: 'ACCESS_DENIED' },
  revoked: { status: 401, code: 516, name: 'AUTHENTICATION_FAILED' },
  too_large: { status: 500, code: 396, name: 'TOO_MANY_ROWS_OR_BYTES' },
  unavailable: { status: 503, code: 210, name: 'NETWORK_ERROR' },
} as const;

/**
 * Programs that ask for compressed answers decompress the body of every status except 401 and 403. Guard does not
 * compress errors, so it sends them with 403.
 */
const STATUS_OF_UNCOMPRESSED_ERROR = 403;

const NO_KEY = 'The password must be an analytics key. Any user name is accepted.';
const TOO_LARGE = 'The answer is larger than 4 MiB. Ask for fewer rows, or for fewer columns.';

/** The part of ClickHouse's HTTP interface for reading one table. Statements run like those of `POST /query`. */
export function createClickHouseListener(options: ListenerOptions): FastifyPluginAsync {
  const { state, authenticate, runQuery } = options;
  let versionQuery: Promise<string> | undefined;

  /** Asks for the version. Simultaneous statements share one query, which does not count for a key. */
  function askVersion(): Promise<string> {
    versionQuery ??= readAsWriter(state, 'SELECT version(), revision() FORMAT TSV').finally(() => {
      versionQuery = undefined;
    });
    return versionQuery;
  }

  async function runRequest(
    caller: QueryCaller,
    parsedRequest: ParsedRequest,
    reply: FastifyReply,
  ): Promise<QueryOutcome> {
    if (parsedRequest.kind === 'refused') return parsedRequest;
    const filled = fillIn(parsedRequest.sql, parsedRequest.parameters);
    if (filled.kind === 'refused') return filled;
    const info = await readServerInfo(askVersion, filled.sql, caller.organisation);
    if (typeof info === 'string') return { kind: 'unavailable', message: info };
    const sql = introspect(filled.sql, info);
    const { answerForm } = parsedRequest;
    const delivered = new Promise((resolve) => reply.raw.once('close', resolve));
    return runQuery({ ...caller, sql, answerForm, delivered, signal: goneSignal(reply.raw) });
  }

  async function answerRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { headers, url } = request;
    const caller = findCaller(headers, authenticate);
    if (caller === undefined) return answerOutcome(reply, { kind: 'revoked' }, false);
    // Older programs test the connection with this request.
    if (url === '/' && request.method === 'GET') return answerPing(request, reply);
    const search = searchOf(request);
    const parsedRequest = parseRequest(search, headers, decodeStatement(request.body));
    return answerOutcome(
      reply,
      await runRequest(caller, parsedRequest, reply),
      asksForCompression(search),
    );
  }

  return (app) => {
    takeStatements(app, (kind, message, request, reply) => {
      const { status, text } = clickHouseError(kind, message);
      const outcome = { kind: 'database_error', status, message: text } as const;
      return answerOutcome(reply, outcome, asksForCompression(searchOf(request)));
    });
    app.get('/ping', answerPing);
    app.route({
      method: ['GET', 'POST'],
      url: '/',
      // A hook can refuse a request without a key before its body is read.
      async onRequest({ headers }, reply) {
        void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
        if (findCaller(headers, authenticate) === undefined)
          await answerOutcome(reply, { kind: 'revoked' }, false);
      },
      handler: answerRequest,
    });
    return Promise.resolve();
  };
}

function searchOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1]);
}

function asksForCompression(search: URLSearchParams): boolean {
  return search.get('compress') === '1';
}

async function answerPing(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await reply.type('text/plain').send('Ok.\n');
}

/** Reads the values for {@link introspect}. Resolves with the reason as a string when they cannot be read now. */
async function readServerInfo(
  askVersion: () => Promise<string>,
  sql: string,
  organisation: string,
): Promise<ServerInfo | string> {
  if (!asksForVersion(sql)) return { version: '', revision: 0, organisation };
  try {
    const [version = '', revision] = (await askVersion()).trim().split('\t');
    return { version, revision: Number(revision), organisation };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function answerOutcome(
  reply: FastifyReply,
  outcome: QueryOutcome,
  wantsCompression: boolean,
): Promise<void> {
  if (outcome.kind === 'rows') {
    void reply.header('x-clickhouse-format', outcome.format ?? '');
    return sendRows(reply, outcome);
  }
  const { status, text } = errorOf(outcome);
  // Programs read `x-clickhouse-exception-code` before the text. 1002 is ClickHouse's code for an unknown error.
  const code = /^Code: (\d+)/.exec(text)?.[1] ?? '1002';
  await reply
    .code(wantsCompression && status !== 401 ? STATUS_OF_UNCOMPRESSED_ERROR : status)
    .header('x-clickhouse-exception-code', code)
    .type('text/plain; charset=utf-8')
    .send(`${text}\n`);
}

interface ErrorText {
  readonly status: number;
  readonly text: string;
}

function errorOf(outcome: Exclude<QueryOutcome, { kind: 'rows' }>): ErrorText {
  switch (outcome.kind) {
    case 'database_error':
      return { status: outcome.status, text: outcome.message };
    case 'revoked':
      return clickHouseError('revoked', NO_KEY);
    case 'too_large':
      return clickHouseError('too_large', TOO_LARGE);
    case 'refused':
    case 'unavailable':
      return clickHouseError(outcome.kind, outcome.message);
  }
}

function clickHouseError(kind: keyof typeof CLICKHOUSE_ERRORS, message: string): ErrorText {
  const { status, code, name } = CLICKHOUSE_ERRORS[kind];
  return { status, text: `Code: ${code}. DB::Exception: ${message} (${name})` };
}
