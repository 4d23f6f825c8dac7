// Bundles the browser code after an installation, so that the first start does not have to do it. This file is plain
// JavaScript, because npm can run it with a Node that cannot strip types.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
const node = existsSync(pinned) ? pinned : process.execPath;
const build = fileURLToPath(new URL('./build-browser.ts', import.meta.url));
const { status } = spawnSync(node, [build], { stdio: 'inherit' });
if (status !== 0) {
  console.error('guard: the browser code was not bundled; `guard start` will try again.');
}
