import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The tables of the page "Works with" name the tests that start the programs. */

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs/guide/works-with.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Product|-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, product = '', , run = '', ...away]) => ({ product, run, away: away.slice(0, -1) }));

test.each(rows.map((row) => [row.product, row] as const))(
  '%s: an existing test runs it, or the row says "Not run here"',
  (_product, { run, away }) => {
    const files = [...run.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(files.length > 0 || run.startsWith('Not run here')).toBe(true);
    expect(away).not.toContain('');
    expect(away.length).toBeGreaterThan(0);
  },
);

test('usual products beside Guard have a row', () => {
  const products = rows.map(({ product }) => product).join(', ');
  const wanted = [
    'nginx',
    'HAProxy',
    'Caddy',
    'Traefik',
    'Envoy, `ext_authz` over HTTP',
    'Envoy, `ext_authz` over gRPC',
    'Redis Sentinel',
    'ClickHouse',
  ];
  const more = ['CrowdSec', 'Grafana', 'Metabase', 'OpenTelemetry', 'Prometheus', 'Let’s Encrypt'];
  for (const product of [
    ...wanted,
    ...more,
    'Vector',
    'Fluent Bit',
    'systemd',
    'Gateway API',
    'Kubernetes',
  ]) {
    expect(products.replaceAll("'", '’')).toContain(product);
  }
});
