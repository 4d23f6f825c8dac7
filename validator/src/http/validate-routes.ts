import {
  validateErrorBody,
  validateErrors,
  type ValidateErrorType,
} from '@guard/config/contract/errors';
import { VALIDATE } from '@guard/config/contract/limits';
import type { Clock, Log } from '@guard/config/contract/ports';
import { KeyRing } from '@guard/config/settings/key-ring';
import type { Organisation } from '@guard/config/settings/schema';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { Policy } from '../organisation.ts';
import { parseValidateBody } from '../request/parse.ts';
import { type Caller, type Engine, validate } from '../validate.ts';
import { addHealthRoute, type HealthOptions } from './health-route.ts';

interface ValidateRouteOptions extends HealthOptions {
  readonly organisations: readonly Organisation[];
  readonly policies: ReadonlyMap<string, Policy>;
  readonly engine: Engine;
  readonly collectorUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** `POST /validate` (spec 4.1) and `GET /health`, for a fastify instance of the caller's. */
export function validateRoutes(options: ValidateRouteOptions): FastifyPluginAsync {
  const ring = new KeyRing(
    options.organisations.flatMap(({ id, secret_keys }) =>
      secret_keys.map(({ key, expires }) => ({ key, expires, policy: options.policies.get(id) })),
    ),
  );
  const callerNow = (): Caller => ({
    site: '',
    via: 'api',
    uploadUrl: `${options.collectorUrl()}/verify`,
  });

  return (app) => {
    // The body is read as text whatever its type: a wrong Content-Type is no reason to let go.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    app.setErrorHandler((error: unknown, _request, reply) => {
      const status = statusOf(error);
      if (status < 500) return answerError(reply, 'invalid_request');
      options.log('error', 'validate_failed', { error: nameOf(error) });
      return answerError(reply, 'internal_server_error');
    });
    addHealthRoute(app, options);
    app.post('/validate', {
      bodyLimit: VALIDATE.maxBodyBytes,
      onRequest: async (request, reply) => {
        const key = request.headers['x-api-key'];
        if (typeof key !== 'string' || key === '') return answerError(reply, 'missing_api_key');
        if (!ring.find(key, options.clock())) return answerError(reply, 'invalid_api_key');
        return undefined;
      },
      handler: async (request, reply) => {
        const policy = ring.find(String(request.headers['x-api-key']), options.clock())?.policy;
        if (!policy) return answerError(reply, 'invalid_api_key');
        const parsed = parseValidateBody(typeof request.body === 'string' ? request.body : '');
        if (parsed.kind === 'error') return answerError(reply, parsed.type, parsed.message);
        const validated = await validate(parsed.request, policy, callerNow(), options.engine);
        if (validated.kind === 'error') {
          return answerError(reply, validated.type, validated.message);
        }
        return reply.send(validated.response);
      },
    });
    return Promise.resolve();
  };
}

function answerError(reply: FastifyReply, type: ValidateErrorType, message?: string): FastifyReply {
  return reply.code(validateErrors[type].status).send(validateErrorBody(type, message));
}

function statusOf(error: unknown): number {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

/** The kind of error and nothing it quotes: a message can hold what was sent. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
