import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';

/** These tests use secrets from files, as in Docker, Kubernetes and systemd: `${NAME}` and NAME_FILE. */

const FIRST_KEY = 'sk_file_2d4f6a8c0e1b3597';
const SECOND_KEY = 'sk_file_9b7d5f3e1c2a4068';

let folder = '';
let origin: RecordingOrigin;
let product: Product;

async function writeSecret(name: string, value: string): Promise<void> {
  // Replaces the file in one step, with a line end, as in a mounted Secret.
  await writeFile(join(folder, `.${name}`), `${value}\n`, { mode: 0o600 });
  await rename(join(folder, `.${name}`), join(folder, name));
}

const statusFor = async (key: string): Promise<number> => {
  const { status } = await send(`${product.addresses.validator}/validate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://shop.example/', ip: '203.0.113.9' }),
  });
  return status;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-secret-files-'));
  await writeSecret('sealing', 'c0ffee1b3d5f7a9e2c4d6f8b0a1e3c5d');
  await writeSecret('backend', FIRST_KEY);
  origin = await startRecordingOrigin();
  const organisation = { id: 'acme', secret_keys: [{ id: 'backend', key: '${BACKEND_KEY}' }] };
  const top = { secret: '${SEALING}', organisations: [organisation], analytics: undefined };
  product = await startProduct(productSettings(origin.url, { top }), {
    SEALING_FILE: join(folder, 'sealing'),
    BACKEND_KEY_FILE: join(folder, 'backend'),
  });
});
afterAll(async () => {
  await product.stop();
  await origin.close();
  await rm(folder, { recursive: true });
});

test('contract 5: a key in a file is valid for /validate, and a replaced key becomes valid within a few seconds', async () => {
  expect([await statusFor(FIRST_KEY), await statusFor(SECOND_KEY)]).toEqual([200, 401]);
  await writeSecret('backend', SECOND_KEY);
  await poll(
    () => statusFor(SECOND_KEY),
    (status) => status === 200,
  );
  expect(await statusFor(FIRST_KEY)).toBe(401);
});

test('when the file of a secret is gone, the last good settings stay in use, and the log names the variable', async () => {
  await rm(join(folder, 'backend'));
  await poll(
    () => Promise.resolve(product.log()),
    (log) => log.includes('reload_refused'),
  );
  expect(product.log()).toContain('BACKEND_KEY_FILE names no such file');
  expect(await statusFor(SECOND_KEY)).toBe(200);
});

test('Guard does not start on a public address with the keys of Guard’s documentation, and names each of these keys', async () => {
  const top = { listen: { gateway: '0.0.0.0:0' }, analytics: undefined };
  const start = startProduct(productSettings(origin.url, { top }));
  const problems = /: secret(?:\[0\])?: .*\n.*: organisations\[0\]\.secret_keys\[0\]\.key: /;
  await expect(start).rejects.toThrow(problems);
  await expect(start).rejects.toThrow('this one is in the documentation, since others reach');
});
