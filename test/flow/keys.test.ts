import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { poll, send } from '../kit/http.ts';
import { ANALYTICS_KEY, storySettings } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';

/** Contract 5, and the way of a key: made by `guard keys` beside a running Guard, used, revoked. */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');

const story = useProduct();

async function keys(...args: readonly string[]): Promise<string> {
  const command = [BIN, 'keys', ...args, '--config', join(story.product.folder, 'guard.yaml')];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`guard keys ended with ${child.exitCode}`);
  return out.trim();
}

async function ask(path: string, key: string, body = 'SELECT 1'): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
  const url = `${story.product.addresses.api}${path}`;
  return (await send(url, { method: 'POST', headers, body })).status;
}

test('a key that guard keys made opens /query and /mcp without a restart, and one that it revoked is 401', async () => {
  const key = await keys('create', '--id', 'grafana');
  await poll(
    () => ask('/query', key),
    (status) => status === 200,
  );
  expect(await ask('/mcp', key)).not.toBe(401);
  await keys('revoke', '--id', 'grafana');
  await poll(
    () => ask('/query', key),
    (status) => status === 401,
  );
  expect(await ask('/mcp', key)).toBe(401);
  expect(story.product.log()).not.toContain(key);
});

test('a query that runs under a key which is revoked ends with 401, and not by itself', async () => {
  const key = await keys('create', '--id', 'leaked');
  await poll(
    () => ask('/query', key),
    (status) => status === 200,
  );
  const endless = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
  let ended = false;
  const running = ask('/query', key, endless).finally(() => (ended = true));
  expect(await ask('/query', key)).toBe(200);
  expect(ended).toBe(false);
  await keys('revoke', '--id', 'leaked');
  expect(await running).toBe(401);
});

test('an organisation that is put into the file can be queried without a restart', async () => {
  const { product, origin } = story;
  const key = 'sk_api_ro_flow_late_1a2b3c4d5e6f';
  const acme = { id: 'acme', analytics_keys: [{ id: 'tests', key: ANALYTICS_KEY }] };
  const late = { id: 'late', analytics_keys: [{ id: 'board', key }] };
  const settings = storySettings(origin.url, { top: { organisations: [acme, late] } });
  await writeFile(join(product.folder, 'guard.yaml'), stringify(settings));
  await poll(
    () => ask('/query', key),
    (status) => status === 200,
  );
  expect(await ask('/query', ANALYTICS_KEY)).toBe(200);
});
