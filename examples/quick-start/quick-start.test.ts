import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from '../../test/kit/examples/example-program.ts';
import { onFreePorts } from '../../test/kit/examples/example-settings.ts';
import { send } from '../../test/kit/http.ts';
import {
  ORIGIN_PAGE,
  type RecordingOrigin,
  startRecordingOrigin,
} from '../../test/kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../../test/kit/product/start-product.ts';
import { chromeHttp, curl } from '../../test/kit/visitors/visitors.ts';

const FILE = 'examples/quick-start/guard.yaml';
const GUARD_SECRET = '5f0c2b7d9e41a86371d4c0be52f9a687d1c3';

let origin: RecordingOrigin;
let product: Product;
let gateway: string;
beforeAll(async () => {
  origin = await startRecordingOrigin();
  product = await startProduct(onFreePorts(FILE), { ORIGIN: origin.url, GUARD_SECRET });
  gateway = product.addresses.gateway;
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

test('the command of the README names the settings file and the variables of this file', async () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(readme).toMatch(/^ORIGIN=\S+ GUARD_SECRET=.* guard start --config \S+$/m);
  expect(readme).toContain(`start --config ${FILE}\n`);
  const args = ['bin/guard.mjs', 'check', FILE];
  const env = { ORIGIN: 'http://127.0.0.1:3000', GUARD_SECRET };
  const { code, stdout, stderr } = await startProgram(process.execPath, args, env).ended();
  expect(code, stdout + stderr).toBe(0);
});

test('a browser gets the unchanged page, and the site gets the decision', async () => {
  const answer = await send(gateway, { headers: { ...chromeHttp, host: 'www.example' } });
  expect([answer.status, answer.body]).toEqual([200, ORIGIN_PAGE]);
  expect(origin.arrivals.at(-1)?.headers).toMatchObject({ 'x-guard-decision': 'allow' });
});

test('contract 3: curl gets the challenge page, and the site gets no request', async () => {
  const before = origin.arrivals.length;
  const answer = await send(gateway, { headers: { ...curl, host: 'www.example' } });
  expect(answer.status).toBe(403);
  expect(answer.headers['set-cookie']?.[0]).toMatch(/^_guard=/);
  expect(origin.arrivals).toHaveLength(before);
});
