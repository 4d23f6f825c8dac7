import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LastingStore } from '@guard/validator';
import { expect, onTestFinished, test } from 'vitest';
import { createSnapshotAge } from './open-store.ts';

test('the age is the age of the snapshot file; without a file it is the time since the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guard-snapshot-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const startedAt = Date.now() - 3_600_000;
  const time = { now: startedAt };
  const age = createSnapshotAge(folder, () => time.now);
  time.now = Date.now();
  expect(age()).toBeGreaterThanOrEqual(3_600);

  const store = await LastingStore.open({ folder, clock: Date.now, log: () => undefined });
  await store.close();
  time.now = Date.now() + 90_000;
  expect(age()).toBeGreaterThanOrEqual(90);
  expect(age()).toBeLessThan(3_600);
});

test('when the folder cannot be read, the age is the time since the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guard-snapshot-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const loop = join(folder, 'loop');
  await symlink(loop, loop);
  const time = { now: 0 };
  const age = createSnapshotAge(loop, () => time.now);
  time.now = 5_000;
  expect(age()).toBe(5);
});
