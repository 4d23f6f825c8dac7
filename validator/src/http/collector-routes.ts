import type { Collect } from '@guard/config/contract/ports';
import type { FastifyPluginAsync } from 'fastify';
import { orCloudHealthAgent } from './health.ts';
import { addHealthRoute, type HealthOptions } from './health-route.ts';

/** Largest upload of a challenge page, in bytes. */
const MAX_UPLOAD_BYTES = 64 * 1024;

interface CollectorRouteOptions extends HealthOptions {
  readonly collect: Collect;
}

/** The collector's own host (spec 4.2, 4.7): uploads of challenge pages served by API callers. */
export function collectorRoutes(options: CollectorRouteOptions): FastifyPluginAsync {
  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    const isHealthAuthorised = orCloudHealthAgent(options.isHealthAuthorised);
    addHealthRoute(app, { ...options, isHealthAuthorised });
    app.all('/verify', { bodyLimit: MAX_UPLOAD_BYTES }, async (request, reply) => {
      const answer = await options.collect({
        method: request.method,
        path: '/verify',
        headers: request.headers,
        body: typeof request.body === 'string' ? request.body : '',
        ip: request.ip,
      });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
    return Promise.resolve();
  };
}
