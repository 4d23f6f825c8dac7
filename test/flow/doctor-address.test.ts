import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { examine, examineBehindNginx, VISITOR_ADDRESS, WITH_KEY } from '../kit/product/doctor.ts';
import { poll, send } from '../kit/http.ts';
import { RIGHT_LINES } from '../kit/peers/nginx-in-front.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasNginx } from '../kit/tools.ts';

/** `guard doctor` compares the address that a started Guard saw with the real address of the visitor. */

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  origin = await startRecordingOrigin();
  product = await startProduct(productSettings(origin.url));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

test('on a machine that is a trusted proxy, doctor says that it cannot check forged addresses', async () => {
  const config = `${product.folder}/guard.yaml`;
  const args = ['--config', config, '--from', '127.0.0.1', ...WITH_KEY];
  const diagnosis = await examine(product, product.addresses.gateway, ...args);
  expect(diagnosis.outcomeOf('forged address')).toMatch(
    /^unchecked: this machine is one of trusted_proxies/,
  );
  expect(diagnosis.outcomeOf('site')).toMatch(
    /^ok: 127\.0\.0\.1:\d+ is a site of the settings, and \/ is prot/,
  );
});

describe.skipIf(!hasNginx)('behind nginx', () => {
  test('that sends no X-Forwarded-For, Guard sees the address of nginx for every visitor (contract 2.1: ip, not the proxy)', async () => {
    const lines = RIGHT_LINES.filter((line) => !line.includes('X-Forwarded-For'));
    const diagnosis = await examineBehindNginx(
      product,
      [...lines, 'proxy_set_header X-Forwarded-For "";'],
      {
        args: WITH_KEY,
      },
    );
    expect(diagnosis.outcomeOf('client address')).toBe(
      `problem: Guard saw 127.0.0.1 with no X-Forwarded-For, and this machine is ${VISITOR_ADDRESS}`,
    );
    expect(diagnosis.outcomeOf('forged address')).toBe(
      'problem: Guard believed a Forwarded that doctor made up (192.0.2.77)',
    );
    expect(diagnosis.code).toBe(1);
  });

  test('when Guard often got only one of the two header fields, doctor warns that Guard cannot know which field to believe', async () => {
    const { gateway } = product.addresses;
    const headers = { host: 'shop.example', forwarded: 'for=198.51.100.7' };
    for (let i = 0; i < 30; i++) await send(gateway, { headers });
    const diagnosis = await examineBehindNginx(product, RIGHT_LINES, { args: WITH_KEY });
    expect(diagnosis.outcomeOf('forged address')).toMatch(
      /^warning: X-Forwarded-For and Forwarded have named different visitors/,
    );
  });

  test('that passes X-Forwarded-For on unchanged, visitors can choose their address', async () => {
    const lines = RIGHT_LINES.filter((line) => !line.includes('X-Forwarded-For'));
    const diagnosis = await examineBehindNginx(product, lines, { args: WITH_KEY });
    expect(diagnosis.outcomeOf('forged address')).toBe(
      'problem: Guard believed an X-Forwarded-For that doctor made up (192.0.2.77)',
    );
  });

  test('on the same machine as doctor, without trusted_proxies, the address of this machine is that of the proxy, and not of the visitor', async () => {
    const config = join(product.folder, 'guard.yaml');
    const settings = productSettings(origin.url, { top: { trusted_proxies: [] } });
    await writeFile(config, stringify(settings));
    process.kill(product.pid, 'SIGHUP');
    await poll(
      () => Promise.resolve(product.log()),
      (log) => log.includes('"reload_applied"'),
    );
    const fromHere = ['--from', '127.0.0.1', ...WITH_KEY];
    const diagnosis = await examineBehindNginx(product, RIGHT_LINES, {
      args: [...fromHere, '--config', config],
    });
    expect(diagnosis.outcomeOf('client address')).toBe(
      'problem: Guard saw 127.0.0.1, which is this machine, and a proxy runs here too (X-Forwarded-For or Forwarded arrived); trusted_proxies is empty, so Guard takes the proxy for the visitor',
    );
    expect(diagnosis.code).toBe(1);
    // When doctor has no settings, it does not know whether Guard believed the proxy.
    const unknown = await examineBehindNginx(product, RIGHT_LINES, { args: fromHere });
    expect(unknown.outcomeOf('client address')).toMatch(
      /^unchecked: Guard saw 127\.0\.0\.1, .* a proxy runs here too/,
    );
  });
});
