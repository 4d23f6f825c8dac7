import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GATEWAY_LIMITS } from '../gateway/src/base/limits.ts';
import { readManifests } from '../test/kit/examples/example-manifests.ts';
import { send } from '../test/kit/http.ts';
import { startProduct } from '../test/kit/product/start-product.ts';

/**
 * These tests check that the manifests give Guard enough memory and enough time to end, and that their probes use
 * existing URLs.
 */

const HERE = import.meta.dirname;
const read = (...path: readonly string[]) => readFileSync(join(HERE, ...path), 'utf8');

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly resources: { readonly limits: { readonly memory: string } };
    readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
    readonly startupProbe: Probe;
    readonly readinessProbe: Probe;
    readonly livenessProbe: Probe;
  }[];
}

const deployment = readManifests(join(HERE, 'kubernetes/base')).find(
  ({ kind }) => kind === 'Deployment',
);
// kubernetes.test.ts checks the manifest with the schema.
const { spec } = deployment?.object as unknown as { spec: { template: { spec: Pod } } };
const pod = spec.template.spec;
const [container] = pod.containers;
// compose.test.ts checks the file with the schema.
const { guard } = (parse(read('compose.yaml')) as { services: { guard: Record<string, string> } })
  .services;
const unit = read('systemd', 'guard.service');

const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);
const lineOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1];

describe('the time limit for ending', () => {
  /** The time for requests under way, plus some seconds for the snapshot and the last events. */
  const NEEDED_S = GATEWAY_LIMITS.drainMs / 1000 + 10;

  test.each([
    ['systemd', seconds(lineOf('TimeoutStopSec'))],
    ['compose', seconds(guard['stop_grace_period'])],
    [
      'Kubernetes',
      pod.terminationGracePeriodSeconds - (container?.lifecycle.preStop.sleep.seconds ?? 0),
    ],
  ])(
    'in %s is longer than the time for which Guard waits for requests under way',
    (_where, givenS) => {
      expect(givenS).toBeGreaterThanOrEqual(NEEDED_S);
    },
  );
});

describe('the memory', () => {
  const UNITS: Readonly<Record<string, number>> = {
    M: 1,
    MI: 1,
    MIB: 1,
    G: 1024,
    GI: 1024,
    GIB: 1024,
  };
  const mebibytes = (text: string | undefined) => {
    const [, amount, unitName = ''] = /^(\d+) ?([A-Za-z]+)$/.exec(text ?? '') ?? [];
    return Number(amount) * (UNITS[unitName.toUpperCase()] ?? NaN);
  };
  const sizing = read('../docs/guide/operations.md');
  const own = mebibytes(
    /^\| Memory, Guard itself .*?(\d+ MiB) with every table full/m.exec(sizing)?.[1],
  );
  const database = mebibytes(
    /^\| Memory, embedded database .*at most (\d+ GiB)/m.exec(sizing)?.[1],
  );

  test.each([
    ['Kubernetes, without a database', container?.resources.limits.memory, own],
    ['compose, with the database', guard['mem_limit'], own + database],
    ['systemd, with the database', lineOf('MemoryMax'), own + database],
  ])(
    'in %s is enough for full tables, which have the documented sizes',
    (_where, limit, needed) => {
      expect(needed).toBeGreaterThan(500);
      expect(mebibytes(limit)).toBeGreaterThanOrEqual(needed);
    },
  );
});

test('each probe uses an existing URL, which answers 200 when Guard is ready', async () => {
  const product = await startProduct({
    version: 1,
    listen: { admin: '127.0.0.1:0' },
    secret: '9f2c7b1e5a8d4036c1e7f4b2a9d85036',
  });
  try {
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const { path = '', port } = container?.[probe].httpGet ?? {};
      expect([probe, port]).toEqual([probe, 'admin']);
      expect((await send(product.addresses.admin + path)).status).toBe(200);
    }
    expect((await send(`${product.addresses.admin}/nowhere`)).status).toBe(404);
  } finally {
    await product.stop();
  }
});
