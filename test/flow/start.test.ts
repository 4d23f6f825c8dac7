import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

function settingsWith(listen: Readonly<Record<string, string>>) {
  return productSettings('http://127.0.0.1:9', {
    top: { listen, sites: [], analytics: undefined },
  });
}

test('Guard does not start on a unix address that is a regular file, and does not change the file', async () => {
  const path = join(folder, 'notes.txt');
  writeFileSync(path, 'precious');
  await expect(startProduct(settingsWith({ admin: `unix:${path}` }))).rejects.toThrow(
    'listen.admin',
  );
  expect(readFileSync(path, 'utf8')).toBe('precious');
});

test('Guard does not start on a unix address that another server uses', async () => {
  const path = join(folder, 'taken.sock');
  const other = createServer().listen(path);
  await once(other, 'listening');
  await expect(startProduct(settingsWith({ admin: `unix:${path}` }))).rejects.toThrow(
    'another program listens there',
  );
  other.close();
});

test('the message about a used port names the setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(startProduct(settingsWith({ admin: `127.0.0.1:${port}` }))).rejects.toThrow(
    `listen.admin 127.0.0.1:${port}: another program listens there`,
  );
  other.close();
});
