import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ORIGIN_PAGE,
  type RecordingOrigin,
  startRecordingOrigin,
} from '../kit/recording-origin.ts';
import { answerAt, challengeAt, navigate } from '../kit/shared-store.ts';
import { startProduct } from '../kit/start-product.ts';
import { storySettings } from '../kit/story-settings.ts';

/** `store: { engine: memory, path }`: a restart keeps visitors. */

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

const start = (workers = 1) => {
  const store = { engine: 'memory', path: join(folder, 'sessions') };
  return startProduct(storySettings(origin.url, { top: { store, workers, analytics: undefined } }));
};

test.each([1, 2])(
  'workers: %i: who passed the challenge has passed it after a restart, and the same answer passes no visitor again',
  async (workers) => {
    const first = await start(workers);
    const page = await challengeAt(first);
    expect((await answerAt(first, page)).body).toBe('{"result":"reload"}');
    expect(await first.stop()).toBe(0);

    const second = await start(workers);
    expect((await navigate(second, '/', { cookie: page.session })).body).toBe(ORIGIN_PAGE);
    expect((await answerAt(second, page)).body).toBe('{"result":"retry"}');
    expect(second.log()).toContain('"event":"store_snapshot_restored","sessions":1');
    await second.stop();
    expect(await readdir(join(folder, 'sessions'))).toEqual(['store.snapshot']);
    expect((await stat(join(folder, 'sessions', 'store.snapshot'))).mode & 0o777).toBe(0o600);
  },
);
