import type { ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { until } from '../testing/until.ts';

const AT_ONCE = 8;

test('accounts of many organisations are created a few at a time', async () => {
  const waiting: ServerResponse[] = [];
  let most = 0;
  let made = 0;
  const url = await serve((request, response) => {
    void readAll(request).then((sql) => {
      if (!sql.startsWith('CREATE USER')) {
        response.end(sql === 'SELECT version()' ? '25.8.1.1\n' : '');
        return;
      }
      made += 1;
      waiting.push(response);
      most = Math.max(most, waiting.length);
      // The answers come only when this many requests are open.
      if (waiting.length === AT_ONCE) for (const held of waiting.splice(0)) held.end();
    });
  });
  const organisations = Array.from({ length: 5 * AT_ONCE }, (_, each) => `organisation-${each}`);
  const settings = { engine: 'clickhouse', url, user: 'guard', password: 'x' } as const;
  const analytics = await openWithoutKeys(settings, organisations, createRecorders());
  onTestFinished(() => analytics.close());
  await until('all accounts are made', () => analytics.ready());
  expect([most, made]).toEqual([AT_ONCE, organisations.length]);
});
