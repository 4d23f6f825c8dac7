import type { FastifyPluginAsync } from 'fastify';
import type { MetricsPage } from '../metrics.ts';

/** `GET /ready` for supervisors and `GET /metrics` for Prometheus. */
export function adminRoutes(options: {
  readonly metrics: MetricsPage;
  readonly isReady: () => boolean;
}): FastifyPluginAsync {
  return (app) => {
    app.get('/ready', (_request, reply) => {
      const ready = options.isReady();
      return reply.code(ready ? 200 : 503).send({ ready });
    });
    app.get('/metrics', async (_request, reply) =>
      reply.type(options.metrics.contentType).send(await options.metrics.page()),
    );
    return Promise.resolve();
  };
}
