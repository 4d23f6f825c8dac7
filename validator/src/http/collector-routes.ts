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
 * The routes of the collector (contract 4.2, 4.7): the browser script, its uploads, and the uploads of challenge
 * pages that API callers serve.
 */
export function collectorRoutes(options: CollectorRouteOptions): FastifyPluginAsync {
  async function collect(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, headers, ip } = request;
    const [path, query] = splitTarget(request.raw.url ?? '');
    const body = typeof request.body === 'string' ? request.body : '';
    const answer = await options.collect({ method, path, query, headers, body, ip });
    // For an empty text Fastify would add `Content-Length: 0`, even to a 304.
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
    // The default 404 of Fastify would repeat the URL.
    app.setNotFoundHandler((_request, reply) => reply.code(404).send());
    const isHealthAuthorised = orCloudHealthAgent(options.isHealthAuthorised);
    addHealthRoute(app, { ...options, isHealthAuthorised });
    for (const path of ['/script.js', '/work.js', '/session', '/verify', TRAP_PATH]) {
      app.all(path, { bodyLimit: MAX_UPLOAD_BYTES }, collect);
    }
    return Promise.resolve();
  };
}

/** The path and the query of a request target, not decoded. */
function splitTarget(target: string): readonly [string, string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
