import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { useProduct } from '../kit/use-product.ts';

/** Spec 5, and the way of a key: made by `guard keys` beside a running Guard, used, revoked. */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');
const DEADLINE_MS = 10_000;

const story = useProduct();

async function keys(...args: readonly string[]): Promise<string> {
  const command = [BIN, 'keys', ...args, '--config', join(story.product.folder, 'guard.yaml')];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`guard keys ended with ${child.exitCode}`);
  return out.trim();
}

async function ask(path: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
  const url = `${story.product.addresses.api}${path}`;
  return (await send(url, { method: 'POST', headers, body: 'SELECT 1' })).status;
}

test('a key that guard keys made opens /query and /mcp without a restart, and one that it revoked is 401', async () => {
  const key = await keys('create', '--id', 'grafana');
  await poll(
    () => ask('/query', key),
    (status) => status === 200,
    DEADLINE_MS,
  );
  expect(await ask('/mcp', key)).not.toBe(401);
  await keys('revoke', '--id', 'grafana');
  await poll(
    () => ask('/query', key),
    (status) => status === 401,
    DEADLINE_MS,
  );
  expect(await ask('/mcp', key)).toBe(401);
  expect(story.product.log()).not.toContain(key);
});
