import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '@guard/config/settings/load';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../../test/kit/http.ts';
import {
  ANALYTICS_KEY,
  SECRET_KEY,
  productSettings,
} from '../../test/kit/product/product-settings.ts';
import { createMetrics } from './metrics/metrics.ts';
import { startGuard } from './start-guard.ts';

const LAST_MOMENT = Date.UTC(2026, 10, 21, 23, 59, 59, 999);

/** Starts the whole product in this process, so that a test can set its clock. */
async function startAt(now: number, overrides: Readonly<Record<string, unknown>>) {
  const folder = mkdtempSync(join(tmpdir(), 'guard-clock-'));
  const text = JSON.stringify(productSettings('http://127.0.0.1:9', { top: overrides }));
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: folder, env: {} });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  const time = { now };
  const log = () => undefined;
  const context = { log, clock: () => time.now, metrics: createMetrics() };
  const running = await startGuard(result.settings, context);
  onTestFinished(async () => {
    await running.close();
    rmSync(folder, { recursive: true });
  });
  return { ...running, settings: result.settings, time };
}

test('contract 5: keys expire without a reload, for POST /validate, POST /query and POST /mcp', async () => {
  const expires = '2026-11-21';
  const { addresses, time } = await startAt(LAST_MOMENT, {
    organisations: [
      {
        id: 'acme',
        secret_keys: [{ id: 'backend', key: SECRET_KEY, expires }],
        analytics_keys: [{ id: 'tests', key: ANALYTICS_KEY, expires }],
      },
    ],
  });
  const authorization = `Bearer ${ANALYTICS_KEY}`;
  const visit = JSON.stringify({ url: 'https://shop.example/', ip: '203.0.113.9' });
  const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const post = async (url: string, headers: Record<string, string>, body: string) =>
    (await send(url, { method: 'POST', headers, body })).status;
  const statuses = () =>
    Promise.all([
      post(`${addresses.validator}/validate`, { 'x-api-key': SECRET_KEY }, visit),
      post(`${addresses.api}/query`, { authorization }, 'SELECT 1'),
      post(`${addresses.api}/mcp`, { authorization }, rpc),
    ]);
  expect(await statuses()).toEqual([200, 200, 200]);
  time.now += 1;
  expect(await statuses()).toEqual([401, 401, 401]);
});

test('when settings cannot be applied, nothing changes', async () => {
  const { addresses, settings, reload } = await startAt(LAST_MOMENT, { analytics: undefined });
  const visit = JSON.stringify({ url: 'https://shop.example/', ip: '203.0.113.9' });
  const validate = async () => {
    const headers = { 'x-api-key': SECRET_KEY };
    const url = `${addresses.validator}/validate`;
    return (await send(url, { method: 'POST', headers, body: visit })).status;
  };
  const databases = { country: '/absent.mmdb' };
  const wrong = { ...settings, organisations: [], databases };
  await expect(reload({ settings: wrong, revision: '' })).rejects.toThrow(
    'not a country database: /absent.mmdb',
  );
  expect(await validate()).toBe(200);
  await reload({ settings: { ...settings, organisations: [], sites: [] }, revision: '' });
  expect(await validate()).toBe(401);
});
