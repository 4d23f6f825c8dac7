import type { FastifyInstance } from 'fastify';
import type { AddressBudget } from '../../edge/address-budget.ts';
import type { Site } from './site.ts';

/**
 * Puts the site at every path that nothing else answers, for GET and HEAD. A search takes one request
 * out of the budget of its address; what is kept ready is free, since many readers may share a proxy.
 */
export function mountSite(app: FastifyInstance, site: Site, budget: AddressBudget): void {
  app.get('/*', (request, reply) => {
    const [path = '/', query = ''] = request.url.split(/\?(.*)/s, 2);
    const {
      accept,
      'accept-encoding': acceptEncoding,
      'if-none-match': ifNoneMatch,
    } = request.headers;
    const { status, headers, body } = site({
      path,
      query,
      accept,
      // Node joins repeated fields of this name, and its types do not know it.
      acceptEncoding: typeof acceptEncoding === 'string' ? acceptEncoding : undefined,
      ifNoneMatch,
      takeSearch: () => budget.take(request.ip),
    });
    return reply.code(status).headers(headers).send(body);
  });
}
