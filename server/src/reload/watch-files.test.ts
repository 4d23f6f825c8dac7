import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from './watch-files.ts';

const EVERY_MS = 10;

/** Watches a folder and records the reports. */
function watchNames(names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'guard-watch-'));
  const reports: (readonly string[])[] = [];
  const watchedNames = [...names];
  const watch = watchFiles({
    files: () => watchedNames.map((name) => join(folder, name)),
    onChange: (files) => reports.push(files.map((file) => file.slice(folder.length + 1))),
    everyMs: EVERY_MS,
  });
  onTestFinished(() => {
    watch.stop();
    rmSync(folder, { recursive: true });
  });
  return { folder, reports, watchedNames, watch };
}

const waitUntil = (assertion: () => void) =>
  vi.waitFor(assertion, { timeout: 45_000, interval: 5 });

test('a file that appears, changes, is replaced or disappears is reported once', async () => {
  const { folder, reports, watch } = watchNames(['a', 'b']);
  await watch.acknowledge();
  writeFileSync(join(folder, 'a'), 'one');
  await waitUntil(() => expect(reports).toEqual([['a']]));
  writeFileSync(join(folder, 'a'), 'longer');
  await waitUntil(() => expect(reports).toEqual([['a'], ['a']]));
  writeFileSync(join(folder, 'temporary'), 'longer');
  renameSync(join(folder, 'temporary'), join(folder, 'a'));
  await waitUntil(() => expect(reports).toHaveLength(3));
  rmSync(join(folder, 'a'));
  await waitUntil(() => expect(reports).toHaveLength(4));
});

test('a file is reported after its writes have ended', async () => {
  const { folder, reports, watch } = watchNames(['a', 'end']);
  await watch.acknowledge();
  let size = 0;
  const writer = setInterval(() => {
    writeFileSync(join(folder, 'a'), 'x'.repeat(++size));
    if (size < 100) return;
    clearInterval(writer);
    writeFileSync(join(folder, 'end'), '');
  }, 1);
  await waitUntil(() => expect(reports.flat()).toContain('end'));
  // There are 100 writes. On a slow machine some pauses between writes are long enough for a report, but not all of
  // them.
  expect(reports.length).toBeLessThan(20);
});

test('an acknowledged change is not reported, and a file that is new in the list is not reported either', async () => {
  const { folder, reports, watchedNames, watch } = watchNames(['a', 'last']);
  writeFileSync(join(folder, 'a'), 'one');
  await watch.acknowledge();
  writeFileSync(join(folder, 'new'), 'one');
  watchedNames.push('new');
  await watch.acknowledgeNew();
  writeFileSync(join(folder, 'last'), 'one');
  await waitUntil(() => expect(reports).toEqual([['last']]));
  writeFileSync(join(folder, 'new'), 'another');
  await waitUntil(() => expect(reports).toEqual([['last'], ['new']]));
});

test('a folder is reported as changed when a file in it is replaced', async () => {
  const { folder, reports, watch } = watchNames(['ranges']);
  mkdirSync(join(folder, 'ranges'));
  writeFileSync(join(folder, 'ranges', 'a.json'), 'one');
  await watch.acknowledge();
  writeFileSync(join(folder, 'temporary'), 'two');
  renameSync(join(folder, 'temporary'), join(folder, 'ranges', 'a.json'));
  await waitUntil(() => expect(reports).toEqual([['ranges']]));
});
