import type { Analytics } from '@guard/analytics';
import type { Metrics } from '@guard/config/contract/ports';
import type { FastifyPluginAsync } from 'fastify';

const NO_ANALYTICS_TEXT = 'The settings file has no `analytics`, so no events are kept.';

const unavailableRoute =
  (path: string): FastifyPluginAsync =>
  (app) => {
    app.all(path, (_request, reply) => reply.code(502).type('text/plain').send(NO_ANALYTICS_TEXT));
    return Promise.resolve();
  };

/** Used in place of the analytics when the settings do not have them. It counts events and drops them. */
export function noAnalytics(metrics: Metrics): Analytics {
  return {
    sink: { record: () => metrics.count('guard_events_total', 'dropped') },
    accept: (destination, { rows }) => {
      if (destination === 'outbox') metrics.count('guard_events_total', 'dropped', rows);
    },
    waiting: () => 0,
    runQuery: () => Promise.resolve({ kind: 'unavailable', message: NO_ANALYTICS_TEXT }),
    listColumns: () => Promise.resolve([]),
    routes: unavailableRoute('/query'),
    routeFor: unavailableRoute,
    clickHouseRoutes: unavailableRoute('/'),
    setOrganisations: () => undefined,
    forget: () => Promise.resolve({ kind: 'refused', message: NO_ANALYTICS_TEXT }),
    ready: () => true,
    condition: () => undefined,
    settled: Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
