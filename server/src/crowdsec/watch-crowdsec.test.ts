import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrowdsecChanges } from '@guard/config/contract/crowdsec';
import type { Settings } from '@guard/config/settings/schema';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { watchCrowdsec } from './watch-crowdsec.ts';

const HOUR = 3_600_000;

/** A watched CrowdSec that gives the same answer until it is given another one, from ten o'clock on. */
async function openWatch() {
  const folder = mkdtempSync(join(tmpdir(), 'guard-crowdsec-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = { now: 10 * HOUR, answer: {}, asked: 0 };
  const crowdsec = createServer((_request, response) => {
    state.asked += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(state.answer));
  }).listen(0, '127.0.0.1');
  await once(crowdsec, 'listening');
  onTestFinished(() => void crowdsec.close());
  const { port } = crowdsec.address() as AddressInfo;
  const settings = {
    store: { engine: 'memory', path: folder },
    crowdsec: { url: `http://127.0.0.1:${port}`, key: 'k', every: 10 },
  } as unknown as Settings;
  const taken: CrowdsecChanges[] = [];
  const { close } = await watchCrowdsec({
    ...{ settings: () => settings, take: (changes) => taken.push(changes), log: () => undefined },
    ...{ clock: () => state.now, metrics: createMetrics() },
  });
  onTestFinished(close);
  const file = join(folder, 'crowdsec.json');
  return { state, taken, kept: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

function decision(id: number, value: string, duration = '4h') {
  return { id, scope: 'Ip', value, duration };
}

test('the copy is kept up to date after the clock was set back, and a broken duration leaves it readable', async () => {
  const { state, kept } = await openWatch();
  const broken = decision(1, '203.0.113.9', '1.2.3h');
  state.answer = { new: [broken, decision(2, '203.0.113.1')] };
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.1'));
  state.now -= HOUR;
  state.answer = { new: [broken, decision(2, '203.0.113.2')] };
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.2'));
  expect(kept()).not.toContain('null');
});

test('a decision that has ended is not in the copy, and each thread is told when CrowdSec takes it away', async () => {
  const { state, taken, kept } = await openWatch();
  state.answer = { new: [decision(1, '203.0.113.1', '1h')] };
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.1'));
  state.answer = { new: null };
  // An answer that is underway is read by then.
  const until = state.asked + 2;
  await vi.waitFor(() => expect(state.asked).toBeGreaterThanOrEqual(until));
  state.now += 2 * HOUR;
  state.answer = { new: [decision(2, '203.0.113.2')] };
  await vi.waitFor(() => expect(kept()).toContain('203.0.113.2'));
  expect(kept()).not.toContain('203.0.113.1"');
  state.answer = { new: null, deleted: [decision(1, '203.0.113.1', '-1h')] };
  await vi.waitFor(() => expect(taken.at(-1)?.removed).toMatchObject([{ id: 1 }]));
});
