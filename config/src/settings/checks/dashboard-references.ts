import { z } from 'zod';
import type { Contradiction } from './repeated.ts';

const unknownValue = z.unknown().optional();
const Groups = z.object({ groups: z.record(z.string(), z.unknown()).catch({}) });
const Outline = z.object({
  listen: z.object({ dashboard: unknownValue, sql: unknownValue }).catch({}),
  analytics: unknownValue,
  trusted_proxies: z.array(z.unknown()).catch([]),
  organisations: z
    .array(z.object({ id: z.string().optional().catch(undefined) }).catch({}))
    .catch([]),
  dashboard: z
    .object({
      proxy_header: Groups.optional().catch(undefined),
      oidc: Groups.optional().catch(undefined),
    })
    .catch({}),
});

export function findDashboardContradictions(value: unknown): Contradiction[] {
  const outline = Outline.safeParse(value);
  if (!outline.success) return [];
  const { listen, analytics, trusted_proxies, organisations, dashboard } = outline.data;
  const contradictions: Contradiction[] = [];
  if (listen.dashboard !== undefined && analytics === undefined) {
    const message = 'expected analytics in this file: the dashboard shows the events that it keeps';
    contradictions.push({ path: ['listen', 'dashboard'], message });
  }
  if (listen.sql !== undefined && analytics === undefined) {
    const message =
      'expected analytics in this file: listen.sql is asked for the events that it keeps';
    contradictions.push({ path: ['listen', 'sql'], message });
  }
  if (dashboard.proxy_header !== undefined && trusted_proxies.length === 0) {
    const message = 'expected trusted_proxies in this file: only they may say who signs in';
    contradictions.push({ path: ['dashboard', 'proxy_header'], message });
  }
  const knownIds = new Set<unknown>(organisations.map(({ id }) => id));
  const choices = organisations.map((_, index) => ['organisations', index, 'id']);
  for (const signInWay of ['proxy_header', 'oidc'] as const) {
    for (const [group, id] of Object.entries(dashboard[signInWay]?.groups ?? {})) {
      if (knownIds.has(id)) continue;
      const path = ['dashboard', signInWay, 'groups', group];
      contradictions.push({
        path,
        message: 'expected the id of an organisation of this file',
        choices,
      });
    }
  }
  return contradictions;
}
