import type { ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { until } from '../testing/until.ts';

const ACCOUNTS_AT_ONCE = 8;

test('accounts of many organisations are created a few at a time', async () => {
  const waitingAnswers: ServerResponse[] = [];
  let maxWaiting = 0;
  let createdAccounts = 0;
  const url = await serve((request, response) => {
    void readAll(request).then((sql) => {
      if (!sql.startsWith('CREATE USER')) {
        response.end(sql === 'SELECT version()' ? '25.8.1.1\n' : '');
        return;
      }
      createdAccounts += 1;
      waitingAnswers.push(response);
      maxWaiting = Math.max(maxWaiting, waitingAnswers.length);
      // The server answers only when ACCOUNTS_AT_ONCE requests are open at the same time.
      if (waitingAnswers.length === ACCOUNTS_AT_ONCE)
        for (const heldAnswer of waitingAnswers.splice(0)) heldAnswer.end();
    });
  });
  const organisations = Array.from(
    { length: 5 * ACCOUNTS_AT_ONCE },
    (_, index) => `organisation-${index}`,
  );
  const settings = { engine: 'clickhouse', url, user: 'guard', password: 'x' } as const;
  const analytics = await openWithoutKeys(settings, organisations, createRecorders());
  onTestFinished(() => analytics.close());
  await until('all accounts are made', () => analytics.ready());
  expect([maxWaiting, createdAccounts]).toEqual([ACCOUNTS_AT_ONCE, organisations.length]);
});
