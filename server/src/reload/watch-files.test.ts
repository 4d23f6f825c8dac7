import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from './watch-files.ts';

const EVERY_MS = 10;

/** Watches a folder and records the reports. */
function watched(names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'guard-watch-'));
  const reports: (readonly string[])[] = [];
  const named = [...names];
  const watch = watchFiles({
    files: () => named.map((name) => join(folder, name)),
    onChange: (files) => reports.push(files.map((file) => file.slice(folder.length + 1))),
    everyMs: EVERY_MS,
  });
  onTestFinished(() => {
    watch.stop();
    rmSync(folder, { recursive: true });
  });
  return { folder, reports, named, watch };
}

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 45_000, interval: 5 });

test('a file that appears, changes, is replaced or disappears is reported once', async () => {
  const { folder, reports, watch } = watched(['a', 'b']);
  await watch.acknowledge();
  writeFileSync(join(folder, 'a'), 'one');
  await until(() => expect(reports).toEqual([['a']]));
  writeFileSync(join(folder, 'a'), 'longer');
  await until(() => expect(reports).toEqual([['a'], ['a']]));
  writeFileSync(join(folder, 'temporary'), 'longer');
  renameSync(join(folder, 'temporary'), join(folder, 'a'));
  await until(() => expect(reports).toHaveLength(3));
  rmSync(join(folder, 'a'));
  await until(() => expect(reports).toHaveLength(4));
});

test('a file is reported after its writes have ended', async () => {
  const { folder, reports, watch } = watched(['a', 'end']);
  await watch.acknowledge();
  let size = 0;
  const writer = setInterval(() => {
    writeFileSync(join(folder, 'a'), 'x'.repeat(++size));
    if (size < 100) return;
    clearInterval(writer);
    writeFileSync(join(folder, 'end'), '');
  }, 1);
  await until(() => expect(reports.flat()).toContain('end'));
  // There are 100 writes. A slow machine may pause long enough for some reports, but not for one after each write.
  expect(reports.length).toBeLessThan(20);
});

test('an acknowledged change is not reported, and neither is a file that is new in the list', async () => {
  const { folder, reports, named, watch } = watched(['a', 'last']);
  writeFileSync(join(folder, 'a'), 'one');
  await watch.acknowledge();
  writeFileSync(join(folder, 'new'), 'one');
  named.push('new');
  await watch.acknowledgeNew();
  writeFileSync(join(folder, 'last'), 'one');
  await until(() => expect(reports).toEqual([['last']]));
  writeFileSync(join(folder, 'new'), 'another');
  await until(() => expect(reports).toEqual([['last'], ['new']]));
});

test('a folder counts as changed when a file in it is replaced', async () => {
  const { folder, reports, watch } = watched(['ranges']);
  mkdirSync(join(folder, 'ranges'));
  writeFileSync(join(folder, 'ranges', 'a.json'), 'one');
  await watch.acknowledge();
  writeFileSync(join(folder, 'temporary'), 'two');
  renameSync(join(folder, 'temporary'), join(folder, 'ranges', 'a.json'));
  await until(() => expect(reports).toEqual([['ranges']]));
});
