import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MetricName, metrics } from '@guard/config/contract/metrics';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from '../../server/src/alerts/alert.ts';
import { readPromql } from '../grafana/promql-selectors.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const file = join(import.meta.dirname, 'guard-rules.yaml');
const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
/** The labels that Prometheus adds to every sample. */
const OF_THE_SCRAPE = 'instance';

test.each(rules.map(({ alert, expr }) => [alert, expr]))(
  'the rule %s uses existing metrics and labels',
  (_, expr) => {
    const { selectors, grouped } = readPromql(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      const entry = metrics[metric as MetricName] as (typeof metrics)[MetricName] | undefined;
      expect(entry, metric).toBeDefined();
      for (const { label } of matchers) expect(label, metric).toBe(entry?.label);
    }
    expect(grouped.filter((label) => label !== OF_THE_SCRAPE)).toEqual([]);
  },
);

test('each alert of Guard that can be seen in metrics has a rule with its name', () => {
  const shown = Object.keys(ALERTS).filter((name) => !['challenged_again', 'test'].includes(name));
  const names = shown.map(
    (name) => `Guard${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`,
  );
  expect(rules.map(({ alert }) => alert).toSorted()).toEqual(names.toSorted());
});
