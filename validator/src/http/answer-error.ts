import {
  validateErrorBody,
  validateErrors,
  type ValidateErrorType,
} from '@guard/config/contract/errors';
import type { Log } from '@guard/config/contract/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameOf } from '../decision/error-name.ts';

/** Answers with an error of contract 7.1: its status, and the body of 2.5. */
export function answerError(
  reply: FastifyReply,
  type: ValidateErrorType,
  message?: string,
): FastifyReply {
  return reply.code(validateErrors[type].status).send(validateErrorBody(type, message));
}

/**
 * Fastify's own errors in the terms of contract 7.1, which has no 413, 415 or 417: what is wrong with the
 * request is `invalid_request`, everything else `internal_server_error`. Fastify's messages are left
 * out, because some quote the request.
 */
export function errorHandler(log: Log) {
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
