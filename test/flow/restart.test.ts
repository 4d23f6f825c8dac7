import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ORIGIN_PAGE,
  type RecordingOrigin,
  startRecordingOrigin,
} from '../kit/origins/recording-origin.ts';
import { answerAt, challengeAt, navigate, type Page } from '../kit/product/shared-store.ts';
import { startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';

/** With `store: { engine: memory, path }`, sessions survive a restart. */

let folder: string;
let origin: RecordingOrigin;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guard-restart-'));
  origin = await startRecordingOrigin();
});
afterEach(async () => {
  await origin.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (workers: number) => {
  const store = { engine: 'memory', path: join(folder, 'sessions') };
  return startProduct(
    productSettings(origin.url, { top: { store, workers, analytics: undefined } }),
  );
};

test('after a restart with more or fewer workers, passed sessions are valid, and their tickets stay spent', async () => {
  const passedPages: Page[] = [];
  for (const workers of [1, 2, 1]) {
    const product = await start(workers);
    for (const page of passedPages) {
      expect((await navigate(product, '/', { cookie: page.session })).body).toBe(ORIGIN_PAGE);
      expect((await answerAt(product, page)).body).toBe('{"result":"retry"}');
    }
    if (passedPages.length > 0) {
      const restoredLine = `"event":"store_snapshot_restored","sessions":${passedPages.length}`;
      expect(product.log()).toContain(restoredLine);
    }
    const page = await challengeAt(product);
    expect((await answerAt(product, page)).body).toBe('{"result":"reload"}');
    passedPages.push(page);
    expect(await product.stop()).toBe(0);
    expect(await readdir(join(folder, 'sessions'))).toEqual(['store.snapshot']);
    expect((await stat(join(folder, 'sessions', 'store.snapshot'))).mode & 0o777).toBe(0o600);
  }
});
