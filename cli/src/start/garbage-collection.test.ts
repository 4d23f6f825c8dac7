import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Begins with 40 MB, as a started Guard, then holds 200 MB and makes garbage. Prints megabytes. */
const SCRIPT = `
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { collectRarely } from '${new URL('./garbage-collection.ts', import.meta.url).href}';
const used = () => getHeapStatistics().used_heap_size / 1048576;
const megabyte = () => new Array(131072).fill(0.5);
const held = Array.from({ length: 40 }, megabyte);
collectRarely();
const passing = [];
let most = 0;
for (let made = 0; made < 2000; made++) {
  if (held.length < 200) held.push(megabyte());
  else passing[made % 16] = megabyte();
  await turn();
  if (made > 1000) most = Math.max(most, used());
}
globalThis.gc();
console.log(JSON.stringify({ live: used(), most }));
`;

test('a heap that has become large grows by a quarter or 64 MB between full collections', () => {
  const args = ['--expose-gc', '--input-type=module', '--disable-warning=ExperimentalWarning'];
  const output = execFileSync(process.execPath, [...args, '--eval', SCRIPT], { encoding: 'utf8' });
  const { live, most } = JSON.parse(output) as { readonly live: number; readonly most: number };
  expect(live).toBeGreaterThan(200);
  expect(most - live).toBeGreaterThan(20);
  expect(most - live).toBeLessThan(160);
});
