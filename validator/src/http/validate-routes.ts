import {
  validateErrorBody,
  type ValidateErrorType,
  validateErrors,
} from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import type { Clock, EventSink, Log } from '@guard/config/contract/ports';
import { KeyRing } from '@guard/config/settings/keys/key-ring';
import type { Organisation } from '@guard/config/settings/schema';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Policy } from '../policy/compile-policy.ts';
import { parseValidateBody } from '../request/parse.ts';
import type { Caller, Engine } from '../decision/engine.ts';
import { validate, type Validated } from '../decision/validate.ts';
import { addHealthRoute, type HealthOptions } from './health-route.ts';
import { type Body, readBody } from './read-body.ts';
import { nameOf } from '../request/error-name.ts';

interface ValidateRouteOptions extends HealthOptions {
  readonly organisations: readonly Organisation[];
  readonly policies: ReadonlyMap<string, Policy>;
  readonly engine: Engine;
  readonly events: EventSink;
  readonly collectorUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const TOO_LONG = `The body must be at most ${VALIDATE.maxBodyBytes} bytes long.`;

/** `POST /validate` (contract 4.1) and `GET /health`, as a plugin for the caller's fastify instance. */
export function validateRoutes(options: ValidateRouteOptions): FastifyPluginAsync {
  const { engine, events, clock, collectorUrl } = options;
  const onError = errorHandler(options.log);
  const writeTogether = createWriteTogether();
  const ring = new KeyRing(
    options.organisations.flatMap(({ id, secret_keys }) =>
      secret_keys.map(({ key, expires }) => ({ key, expires, policy: options.policies.get(id) })),
    ),
  );

  /** The policy of the organisation with the request's key, or the error (contract 5). */
  function authenticate({ headers }: IncomingMessage): Policy | ValidateErrorType {
    const key = headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return 'missing_api_key';
    return ring.find(key, clock())?.policy ?? 'invalid_api_key';
  }

  /**
   * Runs as a hook, because fastify reads the body before it calls a handler. So a request without a key is refused
   * before its body is read. This function also reads the body much faster than fastify's parsers.
   */
  function answer(request: FastifyRequest, reply: FastifyReply): void {
    const policy = authenticate(request.raw);
    if (typeof policy === 'string') return void answerError(reply, policy);
    const encoding = request.raw.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      return void answerError(reply, 'invalid_request', 'The body must not be compressed.');
    }
    readBody(request.raw, VALIDATE.maxBodyBytes, (body) => {
      try {
        answerBody(body, policy, reply);
      } catch (error) {
        onError(error, request, reply);
      }
    });
  }

  function answerBody(body: Body, policy: Policy, reply: FastifyReply): void {
    if (body.kind === 'too_long') {
      // The rest of the body could be taken for the next request, so the connection is closed.
      answerError(reply.header('Connection', 'close'), 'invalid_request', TOO_LONG);
      return;
    }
    const parsedBody = parseValidateBody(body.text);
    if (parsedBody.kind === 'error')
      return void answerError(reply, parsedBody.type, parsedBody.message);
    const uploadUrl = `${collectorUrl()}/verify`;
    const caller: Caller = { site: '', via: 'api', uploadUrl, ipFrom: 'caller' };
    const result = validate(parsedBody.request, policy, caller, engine);
    if (result instanceof Promise) void result.then((later) => sendValidated(reply, later));
    else sendValidated(reply, result);
  }

  function sendValidated(reply: FastifyReply, result: Validated): void {
    if (result.kind === 'error') {
      answerError(reply, result.type, result.message);
      return;
    }
    events.record(result.event);
    // This route has no hooks and serialisers, so skip the code of fastify for them.
    reply.hijack();
    writeTogether(reply.raw, JSON.stringify(result.response));
  }

  return (app) => {
    // Accept any body, so that a path without a route is always answered with 404.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _bytes, done) => done(null));
    app.setErrorHandler(onError);
    // The default 404 of fastify would repeat the URL.
    app.setNotFoundHandler((_request, reply) => reply.code(404).send());
    addHealthRoute(app, options);
    app.post('/validate', { onRequest: answer, handler: answer });
    app.route({
      method: app.supportedMethods.filter((method) => method !== 'POST'),
      url: '/validate',
      onRequest: refuseMethod,
      handler: refuseMethod,
    });
    return Promise.resolve();
  };
}

/** RFC 9110 section 15.5.6: a 405 has to name the allowed methods. */
function refuseMethod(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(405)
    .header('Allow', 'POST')
    .send(validateErrorBody('invalid_request', 'The method must be POST.'));
}

/** Answers with an error of contract 7.1: its status, and the body of 2.5. */
function answerError(reply: FastifyReply, type: ValidateErrorType, message?: string): FastifyReply {
  return reply.code(validateErrors[type].status).send(validateErrorBody(type, message));
}

/**
 * Turns errors of fastify into errors of contract 7.1, which has no 413, 415 or 417. A fault of the request becomes
 * `invalid_request`, and any other fault becomes `internal_server_error`. The messages of fastify are left out, because
 * some quote the request.
 */
function errorHandler(log: Log) {
  return (error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (statusOf(error) < 500) return answerError(reply, 'invalid_request');
    log('error', 'validate_failed', { error: nameOf(error) });
    return answerError(reply, 'internal_server_error');
  };
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error
      ? error.statusCode
      : undefined;
  return typeof status === 'number' ? status : 500;
}

/**
 * Returns a function that answers 200 with JSON at the end of the current turn of the event loop. All requests that
 * arrived in this turn get their answers together, and a single request does not wait longer. Under load, the caller's
 * process then wakes up once for many answers. One wake-up per answer took a third of the cost of a request.
 */
function createWriteTogether(): (response: ServerResponse, json: string) => void {
  let waitingAnswers: { readonly response: ServerResponse; readonly json: string }[] = [];

  function writeAll(): void {
    const answers = waitingAnswers;
    waitingAnswers = [];
    for (const { response, json } of answers) {
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(json),
      });
      response.end(json);
    }
  }

  return (response, json) => {
    if (waitingAnswers.push({ response, json }) === 1) setImmediate(writeAll);
  };
}
