import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { ANALYTICS_KEY } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp, curl } from '../kit/visitors.ts';

/** Stored events of a running Guard, judged again with other settings over `POST /query` (contract 4.3). */

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');

const story = useProduct({ rules: [{ name: 'everybody', match: {}, detect: true }] });

async function replay(...args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, GUARD_ANALYTICS_KEY: ANALYTICS_KEY };
  const command = [BIN, 'replay', ...args, '--from', story.product.addresses.api, '--json'];
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(child.exitCode).toBe(0);
  return JSON.parse(out);
}

test('what happened is found again with the same settings, and a candidate says what it would change', async () => {
  const { gateway } = story.product.addresses;
  for (const headers of [curl, curl, { ...chromeHttp, host: 'shop.example' }]) {
    await send(`${gateway}/cart?item=1`, {
      headers: { ...headers, 'x-forwarded-for': '84.115.20.7' },
    });
  }
  await poll(
    () => rowsOf<{ n: string }>(story.product, 'SELECT count() AS n FROM events_distributed'),
    ([row]) => Number(row?.n) === 3,
  );
  const current = join(story.product.folder, 'guard.yaml');
  expect(await replay('-c', current)).toMatchObject({
    judged: 3,
    unreadable: 0,
    changed: 0,
    withHeaders: 3,
  });
  const candidate = join(story.product.folder, 'candidate.yaml');
  const rule = '- name: everybody';
  const written = await readFile(current, 'utf8');
  expect(written).toContain(rule);
  const closed = `- { name: cart, match: { path: /cart }, verdict: block }\n      ${rule}`;
  await writeFile(candidate, written.replace(rule, closed));
  expect(await replay('-c', candidate)).toMatchObject({
    judged: 3,
    changed: 3,
    groups: [
      { before: 'challenge', after: 'block', rule: 'cart', requests: 2 },
      { before: 'allow', after: 'block', rule: 'cart', requests: 1 },
    ],
  });
});
