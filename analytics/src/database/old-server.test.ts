import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../test/kit/serve.ts';
import { openWithoutKeys } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { until } from '../testing/until.ts';

/** A server that reports this version, and records the statements. */
async function serverOf(version: string): Promise<{ url: string; statements: string[] }> {
  const statements: string[] = [];
  const url = await serve((request, response) => {
    void readAll(request).then((sql) => {
      statements.push(sql);
      response.end(sql === 'SELECT version()' ? `${version}\n` : '');
    });
  });
  return { url, statements };
}

test.each(['18.16.1', '24.3.12.75', '24.7.1.1'])(
  'a ClickHouse with the old version %s gets only the query for its version',
  async (version) => {
    const { url, statements } = await serverOf(version);
    const recorders = createRecorders();
    const settings = { engine: 'clickhouse', url, user: 'guard', password: 'x' } as const;
    const analytics = await openWithoutKeys(settings, ['acme'], recorders);
    onTestFinished(() => analytics.close());
    const message = `ClickHouse ${version} is too old: Guard needs 24.8 or newer; update the server.`;
    await until('the version is checked', () => analytics.condition()?.state === 'failing');
    expect(analytics.condition()).toEqual({ state: 'failing', message });
    expect(recorders.lines.join('\n')).toContain(message);
    expect(await analytics.runQuery({ organisation: 'acme', sql: 'SELECT 1' })).toEqual({
      kind: 'unavailable',
      message,
    });
    expect(new Set(statements)).toEqual(new Set(['SELECT version()']));
  },
);

test('a server that is not ClickHouse is reported, and gets the query for its version again', async () => {
  const { url, statements } = await serverOf('<!doctype html>');
  const recorders = createRecorders();
  const settings = { engine: 'clickhouse', url, user: 'guard', password: 'x' } as const;
  const analytics = await openWithoutKeys(settings, ['acme'], recorders);
  onTestFinished(() => analytics.close());
  await until('the server is asked twice', () => statements.length > 1);
  expect(analytics.condition()).toMatchObject({ state: 'away' });
  expect(recorders.lines.join('\n')).toContain('This is no ClickHouse');
});

test.each(['24.8.1.1', '24.10.1.1', '25.3.2.39'])(
  'a ClickHouse with the version %s is used',
  async (version) => {
    const { url, statements } = await serverOf(version);
    const settings = { engine: 'clickhouse', url, user: 'guard', password: 'x' } as const;
    const analytics = await openWithoutKeys(settings, [], createRecorders());
    onTestFinished(() => analytics.close());
    await until('the columns of the server are read', () =>
      statements.some((sql) => sql.includes('system.columns')),
    );
  },
);
