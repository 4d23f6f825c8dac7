import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { residentMiB } from '../../bench/measure/resident-memory.ts';
import { childrenOf } from '../kit/children.ts';
import { startProduct } from '../kit/product/start-product.ts';

/** The documented memory of Guard with one idle site, in MiB: docs/guide/operations.md, "Sizing". */
const WITHOUT_DATABASE = 160;
const WITH_DATABASE = 350;

const KEY = 'sk_api_ro_of-the-test-0123456789';

/** The environment variables that `bin/guard`, the systemd unit and the image set. */
const ENVIRONMENT = { MALLOC_TRIM_THRESHOLD_: '1048576', MALLOC_ARENA_MAX: '2' };

async function startIdle(extra: Readonly<Record<string, unknown>>) {
  const { listen = {}, ...top } = extra;
  const settings = {
    version: 1,
    secret: 'the secret of the test, long enough',
    organisations: [
      {
        id: 'me',
        analytics_keys: [{ id: 'me', key: KEY }],
        rules: [{ name: 'everybody', match: {}, detect: true, challenge: 'auto' }],
      },
    ],
    sites: [{ hosts: ['*'], organisation: 'me', origin: 'http://127.0.0.1:9' }],
    listen: { gateway: '127.0.0.1:0', admin: '127.0.0.1:0', ...(listen as object) },
    ...top,
  };
  const guard = await startProduct(settings, ENVIRONMENT);
  onTestFinished(() => guard.stop().then(() => undefined));
  return guard;
}

/**
 * Waits until these processes together use less than the bound. An idle Guard collects the garbage of its start only
 * later.
 */
const takesLess = (pids: () => readonly number[], most: number) =>
  expect
    .poll(() => pids().reduce((sum, pid) => sum + residentMiB(pid), 0), { interval: 200 })
    .toBeLessThan(most);

test('without a database, an idle Guard uses no more memory than its documented size, also after it restored its store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guard-store-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const storeSettings = { store: { engine: 'memory', path: folder } };
  const first = await startIdle(storeSettings);
  await takesLess(() => [first.pid], WITHOUT_DATABASE);
  await first.stop();
  expect(await readdir(folder)).not.toEqual([]);
  const { pid } = await startIdle(storeSettings);
  await takesLess(() => [pid], WITHOUT_DATABASE);
});

test('an idle Guard and its database together use no more memory than documented, and the database answers', async () => {
  const { pid, addresses } = await startIdle({
    listen: { api: '127.0.0.1:0' },
    analytics: { engine: 'embedded', path: './analytics' },
  });
  await takesLess(() => [pid, ...childrenOf(pid)], WITH_DATABASE);
  const answer = await fetch(`${addresses.api}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: 'SELECT count() FROM events_distributed',
  });
  expect([answer.status, await answer.text()]).toEqual([200, '0\n']);
});
