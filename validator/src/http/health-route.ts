import type { FastifyInstance } from 'fastify';
import type { HealthCheck } from './health.ts';

/** Only a caller with the health check token gets this version (contract 2.6). */
const STACK_VERSION = '0.1.0';

export interface HealthOptions {
  readonly isHealthAuthorised: HealthCheck;
  readonly isReady: () => boolean;
}

/** Adds `GET /health` (contract 2.6, 4.2, 7.5). Its 403 and 503 have empty bodies. */
export function addHealthRoute(app: FastifyInstance, options: HealthOptions): void {
  app.get('/health', (request, reply) => {
    const caller = options.isHealthAuthorised(request.headers);
    if (caller === 'stranger') return reply.code(403).send();
    if (!options.isReady()) return reply.code(503).send();
    return reply.send({
      status: 'ok',
      ...(caller === 'internal' && { guard_stack_version: STACK_VERSION }),
    });
  });
}
