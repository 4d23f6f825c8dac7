import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { watchCrowdsec } from './watch-crowdsec.ts';

const HOUR = 3_600_000;

test('the copy is kept up to date after the clock was set back, and a broken duration leaves it readable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-crowdsec-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let value = '203.0.113.1';
  const crowdsec = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    const common = { scope: 'Ip', duration: '4h' };
    const broken = { ...common, id: 1, value: '203.0.113.9', duration: '1.2.3h' };
    response.end(JSON.stringify({ new: [broken, { ...common, id: 2, value }] }));
  }).listen(0, '127.0.0.1');
  await once(crowdsec, 'listening');
  onTestFinished(() => void crowdsec.close());
  const { port } = crowdsec.address() as AddressInfo;
  let now = 10 * HOUR;
  const settings = {
    store: { engine: 'memory', path: folder },
    crowdsec: { url: `http://127.0.0.1:${port}`, key: 'k', every: 10 },
  } as unknown as Settings;
  const { close } = await watchCrowdsec({
    ...{ settings: () => settings, take: () => undefined, log: () => undefined },
    ...{ clock: () => now, metrics: createMetrics() },
  });
  onTestFinished(close);
  const file = join(folder, 'crowdsec.json');
  const kept = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.1'));
  now -= HOUR;
  value = '203.0.113.2';
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.2'));
  expect(kept()).not.toContain('null');
});
