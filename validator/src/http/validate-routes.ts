import { validateErrorBody } from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import type { Clock, Log } from '@guard/config/contract/ports';
import { KeyRing } from '@guard/config/settings/key-ring';
import type { Organisation } from '@guard/config/settings/schema';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Policy } from '../organisation.ts';
import { parseValidateBody } from '../request/parse.ts';
import type { Caller, Engine } from '../engine.ts';
import { validate, type Validated } from '../validate.ts';
import { answerError, errorHandler } from './answer-error.ts';
import { addHealthRoute, type HealthOptions } from './health-route.ts';
import { readBodiesAsText } from './read-body.ts';

interface ValidateRouteOptions extends HealthOptions {
  readonly organisations: readonly Organisation[];
  readonly policies: ReadonlyMap<string, Policy>;
  readonly engine: Engine;
  readonly collectorUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Under this name a request carries the policy of the key that it presented. */
const POLICY = Symbol('policy');

/** `POST /validate` (spec 4.1) and `GET /health`, for a fastify instance of the caller's. */
export function validateRoutes(options: ValidateRouteOptions): FastifyPluginAsync {
  const { engine, clock, collectorUrl } = options;
  const ring = new KeyRing(
    options.organisations.flatMap(({ id, secret_keys }) =>
      secret_keys.map(({ key, expires }) => ({ key, expires, policy: options.policies.get(id) })),
    ),
  );

  /** Spec 5, before the body is read: a stranger's bytes cost nothing. */
  function authenticate(request: FastifyRequest, reply: FastifyReply, next: () => void): void {
    const { headers } = request.raw;
    const key = headers['x-api-key'];
    if (typeof key !== 'string' || key === '') return void answerError(reply, 'missing_api_key');
    const policy = ring.find(key, clock())?.policy;
    if (!policy) return void answerError(reply, 'invalid_api_key');
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      return void answerError(reply, 'invalid_request', 'The body must not be compressed.');
    }
    // Fastify refuses a Content-Type it cannot read; here none is needed.
    delete headers['content-type'];
    request.setDecorator(POLICY, policy);
    next();
  }

  function answer(request: FastifyRequest, reply: FastifyReply): void {
    const parsed = parseValidateBody(typeof request.body === 'string' ? request.body : '');
    if (parsed.kind === 'error') return void answerError(reply, parsed.type, parsed.message);
    const uploadUrl = `${collectorUrl()}/verify`;
    const caller: Caller = { site: '', via: 'api', uploadUrl };
    const policy = request.getDecorator<Policy>(POLICY);
    const validated = validate(parsed.request, policy, caller, engine);
    if (validated instanceof Promise) void validated.then((later) => sendValidated(reply, later));
    else sendValidated(reply, validated);
  }

  return (app) => {
    readBodiesAsText(app);
    app.setErrorHandler(errorHandler(options.log));
    // Fastify's own 404 repeats the URL.
    app.setNotFoundHandler((_request, reply) => reply.code(404).send());
    app.decorateRequest(POLICY, null);
    addHealthRoute(app, options);
    app.post('/validate', {
      bodyLimit: VALIDATE.maxBodyBytes,
      onRequest: authenticate,
      handler: answer,
    });
    app.route({
      method: app.supportedMethods.filter((method) => method !== 'POST'),
      url: '/validate',
      onRequest: refuseMethod,
      handler: refuseMethod,
    });
    return Promise.resolve();
  };
}

function sendValidated(reply: FastifyReply, validated: Validated): void {
  if (validated.kind === 'response') reply.send(validated.response);
  else answerError(reply, validated.type, validated.message);
}

/** RFC 9110 15.5.6: 405 names what is allowed. */
function refuseMethod(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(405)
    .header('Allow', 'POST')
    .send(validateErrorBody('invalid_request', 'The method must be POST.'));
}
