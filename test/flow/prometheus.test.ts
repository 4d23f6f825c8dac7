import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { type ListeningProgram, startListening } from '../kit/listening-program.ts';
import { hasPrometheus } from '../kit/tools.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp } from '../kit/visitors.ts';

/** The Prometheus of Debian reads /metrics, and evaluates the rules of packaging/prometheus. */

const RULES = join(import.meta.dirname, '../../packaging/prometheus/guard-rules.yaml');

interface Answer {
  readonly data: {
    readonly result: readonly { readonly value: readonly [number, string] }[];
    readonly groups: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string }[];
    }[];
  };
}

describe.skipIf(!hasPrometheus)('Prometheus', () => {
  const story = useProduct({ top: { analytics: undefined } });
  let prometheus: ListeningProgram;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guard-prometheus-'));
    const port = await freePort();
    const config = join(folder, 'prometheus.yml');
    copyFileSync(RULES, join(folder, 'guard-rules.yaml'));
    const target = new URL(story.product.addresses.admin).host;
    const settings = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: ['guard-rules.yaml'],
      scrape_configs: [{ job_name: 'guard', static_configs: [{ targets: [target] }] }],
    };
    writeFileSync(config, stringify(settings));
    prometheus = await startListening(
      [
        'prometheus',
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      port,
      folder,
    );
  });
  afterAll(() => prometheus.close());

  const ask = async (path: string): Promise<Answer['data']> => {
    const { body } = await send(`http://127.0.0.1:${prometheus.port}/api/v1/${path}`);
    return (JSON.parse(body) as Answer).data;
  };
  /** Asks until the first sample of the expression is this. */
  const becomes = (expression: string, value: string) =>
    poll(
      async () => (await ask(`query?query=${encodeURIComponent(expression)}`)).result,
      ([sample]) => sample?.value[1] === value,
      10_000,
    );

  test('it reads the counters of Guard, and finds no fault in the rules', async () => {
    await send(`${story.product.addresses.gateway}/`, { headers: chromeHttp });
    await becomes('sum(guard_decisions_total)', '1');
    const { groups } = await poll(
      () => ask('rules'),
      (answer) =>
        answer.groups.every(({ rules }) => rules.every((rule) => rule.health !== 'unknown')),
      10_000,
    );
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  test('while Guard is away, up is 0', async () => {
    await becomes('up', '1');
    await story.product.stop();
    await becomes('up', '0');
  });
});
