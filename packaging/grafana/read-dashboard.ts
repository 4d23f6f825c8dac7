import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Datasource = z.object({ type: z.string(), uid: z.string() });

const PromTarget = z.strictObject({
  refId: z.string(),
  datasource: Datasource.extend({ type: z.literal('prometheus') }),
  editorMode: z.literal('code'),
  expr: z.string().min(1),
  legendFormat: z.string().optional(),
  range: z.literal(true),
});

const SqlTarget = z.strictObject({
  refId: z.string(),
  datasource: Datasource.extend({ type: z.literal('grafana-clickhouse-datasource') }),
  editorType: z.literal('sql'),
  queryType: z.enum(['timeseries', 'table']),
  format: z.union([z.literal(0), z.literal(1)]),
  rawSql: z.string().min(1),
});

const GridPos = z.strictObject({
  x: z.int().min(0),
  y: z.int().min(0),
  w: z.int().min(1),
  h: z.int().min(1),
});

const Panel = z.object({
  id: z.int().min(1),
  type: z.enum(['row', 'stat', 'timeseries', 'table']),
  title: z.string().min(1),
  description: z.string().min(1).optional(),
  gridPos: GridPos,
  datasource: Datasource.optional(),
  targets: z.array(z.union([PromTarget, SqlTarget])).default([]),
});

const Dashboard = z.object({
  uid: z.string().max(40),
  title: z.string(),
  schemaVersion: z.int(),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), type: z.string(), query: z.unknown() })),
  }),
  panels: z.array(Panel),
});

export type Dashboard = z.infer<typeof Dashboard>;
export type PromTarget = z.infer<typeof PromTarget>;
export type SqlTarget = z.infer<typeof SqlTarget>;

/** Reads the Grafana dashboard. Throws when it has another shape. */
export function readDashboard(): Dashboard {
  const text = readFileSync(join(import.meta.dirname, 'guard.json'), 'utf8');
  return Dashboard.parse(JSON.parse(text));
}

/** Returns the targets of all panels, each with the title of its panel. */
export function targetsOf({ panels }: Dashboard): [title: string, PromTarget | SqlTarget][] {
  return panels.flatMap(({ title, targets }) =>
    targets.map((target): [string, PromTarget | SqlTarget] => [`${title} ${target.refId}`, target]),
  );
}
