import type { Analytics } from '@guard/analytics';
import type { Metrics } from '@guard/config/contract/ports';
import type { FastifyPluginAsync } from 'fastify';

const MESSAGE = 'The settings file has no `analytics`, so no events are kept.';

const missingAt =
  (path: string): FastifyPluginAsync =>
  (app) => {
    app.all(path, (_request, reply) => reply.code(502).type('text/plain').send(MESSAGE));
    return Promise.resolve();
  };

/** The analytics of settings without `analytics`. It counts events and drops them. */
export function noAnalytics(metrics: Metrics): Analytics {
  return {
    sink: { record: () => metrics.count('guard_events_total', 'dropped') },
    accept: (to, { rows }) => {
      if (to === 'outbox') metrics.count('guard_events_total', 'dropped', rows);
    },
    waiting: () => 0,
    runQuery: () => Promise.resolve({ kind: 'unavailable', message: MESSAGE }),
    listColumns: () => Promise.resolve([]),
    routes: missingAt('/query'),
    routeFor: missingAt,
    clickHouseRoutes: missingAt('/'),
    setOrganisations: () => undefined,
    forget: () => Promise.resolve({ kind: 'refused', message: MESSAGE }),
    ready: () => true,
    condition: () => undefined,
    settled: Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
