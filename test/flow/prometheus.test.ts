import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { type ListeningProgram, startListening } from '../kit/listening-program.ts';
import { serve } from '../kit/serve.ts';
import { hasPrometheus } from '../kit/tools.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';

/** In these tests the Prometheus of Debian reads /metrics and evaluates the rules of packaging/prometheus. */

const RULES = join(import.meta.dirname, '../../packaging/prometheus/guard-rules.yaml');

/** A site that answers, a site that closes the connection of each request, and a site that accepts no connections. */
const shop = await serve((_request, response) => void response.end(), afterAll);
const closingSite = await serve((request) => void request.socket.destroy(), afterAll);
const closedUrl = `http://127.0.0.1:${await freePort()}`;
const sites = Object.entries({ shop, closing: closingSite, away: closedUrl }).map(
  ([name, origin]) => ({
    ...{ hosts: [`${name}.example`], organisation: 'acme', origin },
  }),
);
const openRules = [{ name: 'open', match: {}, verdict: 'allow' }];

interface Answer {
  readonly data: {
    readonly result: readonly { readonly value: readonly [number, string] }[];
    readonly groups: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string }[];
    }[];
  };
}

describe.skipIf(!hasPrometheus)('Prometheus', () => {
  const testbed = useProduct({ rules: openRules, top: { analytics: undefined, sites } });
  let prometheus: ListeningProgram;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guard-prometheus-'));
    const port = await freePort();
    const config = join(folder, 'prometheus.yml');
    copyFileSync(RULES, join(folder, 'guard-rules.yaml'));
    const target = new URL(testbed.product.addresses.admin).host;
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
    // Prometheus listens before it can answer.
    await poll(
      () => send(`http://127.0.0.1:${port}/-/ready`),
      ({ status }) => status === 200,
    );
  });
  afterAll(() => prometheus.close());

  const ask = async (path: string): Promise<Answer['data']> => {
    const { body } = await send(`http://127.0.0.1:${prometheus.port}/api/v1/${path}`);
    return (JSON.parse(body) as Answer).data;
  };
  /** Waits until the first sample of the expression has this value. */
  const untilValue = (expression: string, value: string) =>
    poll(
      async () => (await ask(`query?query=${encodeURIComponent(expression)}`)).result,
      ([sample]) => sample?.value[1] === value,
    );

  test('Prometheus reads the counters of Guard, and all rules are valid', async () => {
    const headers = { ...chromeHttp, host: 'shop.example' };
    await send(`${testbed.product.addresses.gateway}/`, { headers });
    await untilValue('sum(guard_decisions_total)', '1');
    const { groups } = await poll(
      () => ask('rules'),
      (answer) =>
        answer.groups.every((group) => group.rules.every((rule) => rule.health !== 'unknown')),
    );
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  test('one visitor whose requests get no answer does not fire GuardOriginDown; a site that accepts no connections does', async () => {
    const { groups } = parse(readFileSync(RULES, 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const isTrue = async (alert: string) => {
      const { expr = '' } = groups[0]?.rules.find((rule) => rule.alert === alert) ?? {};
      const { result } = await ask(`query?query=${encodeURIComponent(expr)}`);
      return result.length === 1;
    };
    const visit = async (name: string, times: number) => {
      for (let time = 0; time < times; time += 1) {
        const headers = { ...chromeHttp, host: `${name}.example` };
        expect((await send(`${testbed.product.addresses.gateway}/`, { headers })).status).toBe(502);
      }
    };
    const counterLine = (reason: string, times: string) =>
      untilValue(`guard_gateway_origin_errors_total{reason="${reason}"}`, times);
    // For Prometheus the first value of a counter is no growth.
    await Promise.all([visit('closing', 1), visit('away', 1)]);
    await Promise.all([counterLine('reset', '1'), counterLine('connect', '1')]);
    await visit('closing', 30);
    await counterLine('reset', '31');
    expect([await isTrue('GuardOriginDown'), await isTrue('GuardOriginErrors')]).toEqual([
      false,
      true,
    ]);
    await visit('away', 60);
    await counterLine('connect', '61');
    expect(await isTrue('GuardOriginDown')).toBe(true);
  });

  test('while Guard is away, up is 0', async () => {
    await untilValue('up', '1');
    await testbed.product.stop();
    await untilValue('up', '0');
  });
});
