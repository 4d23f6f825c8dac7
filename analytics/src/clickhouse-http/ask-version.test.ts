import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { DatabaseAnswer } from '../database/database-client.ts';
import { openClickHouseListener } from '../testing/clickhouse-listener.ts';
import { scriptedAnswer, scriptedDatabase } from '../testing/scripted-database.ts';
import { createClickHouseListener } from './listener.ts';

test('statements that need the version at the same time share one query for it', async () => {
  let runningQueries = 0;
  let maxRunning = 0;
  const countVersions = async (): Promise<DatabaseAnswer> => {
    maxRunning = Math.max(maxRunning, (runningQueries += 1));
    await sleep(20);
    runningQueries -= 1;
    return scriptedAnswer('26.7.1\t1\n');
  };
  const ranStatements: string[] = [];
  const clickHouseRoutes = createClickHouseListener({
    state: scriptedDatabase(countVersions),
    authenticate: () => ({ organisation: 'acme', key: 'only' }),
    runQuery: ({ sql }) => {
      ranStatements.push(sql);
      return Promise.resolve({ kind: 'too_large' });
    },
  });
  const listener = await openClickHouseListener({ clickHouseRoutes });
  onTestFinished(() => listener.close());
  const answers = Array.from({ length: 20 }, () => listener.ask('SELECT version()', '', {}));
  await Promise.all(answers);
  expect(ranStatements).toEqual(Array(20).fill("SELECT ('26.7.1' AS `version()`)"));
  expect(maxRunning).toBe(1);
});
