import type { Collect } from '@guard/config/contract/ports';
import { TRAP_PATH } from '../challenge/trap-link.ts';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { orCloudHealthAgent } from './health.ts';
import { addHealthRoute, type HealthOptions } from './health-route.ts';

/** Largest upload of a browser, in bytes. */
const MAX_UPLOAD_BYTES = 64 * 1024;

interface CollectorRouteOptions extends HealthOptions {
  readonly collect: Collect;
}

/**
 * The collector's own host (contract 4.2, 4.7): the browser script and its uploads, and those of challenge
 * pages served by API callers.
 */
export function collectorRoutes(options: CollectorRouteOptions): FastifyPluginAsync {
  async function collect(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, headers, ip } = request;
    const [path, query] = splitTarget(request.raw.url ?? '');
    const body = typeof request.body === 'string' ? request.body : '';
    const answer = await options.collect({ method, path, query, headers, body, ip });
    // Fastify would say that a 304 without a body is 0 bytes long.
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .send(answer.body === '' ? undefined : answer.body);
  }

  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    // Fastify's own 404 repeats the URL.
    app.setNotFoundHandler((_request, reply) => reply.code(404).send());
    const isHealthAuthorised = orCloudHealthAgent(options.isHealthAuthorised);
    addHealthRoute(app, { ...options, isHealthAuthorised });
    for (const path of ['/script.js', '/work.js', '/session', '/verify', TRAP_PATH]) {
      app.all(path, { bodyLimit: MAX_UPLOAD_BYTES }, collect);
    }
    return Promise.resolve();
  };
}

/** Path and query of a request target, neither decoded. */
function splitTarget(target: string): readonly [string, string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
