#!/usr/bin/env node
// Plain JavaScript, because any Node must be able to read it: Guard itself runs on one version only, and
// hands over to the Node that its install brings where another one started this file.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of the `node` package in package.json, which all tests run on. */
const PINNED = '26.10.0';

// A checkout has the package `node`. An installation has the package for its platform, where there is one; npm puts it
// inside of Guard or beside it.
const platform = `node-${process.platform}-${process.arch}`;
const pinned = ['../node_modules/node', `../node_modules/${platform}`, `../../${platform}`]
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .filter((folder) => isPinned(folder))
  .map((folder) => join(folder, 'bin/node'))
  .find((program) => existsSync(program));
/** Only in a folder of npm: what lies beside a copy in /tmp can be another user's. */
function isPinned(folder) {
  if (basename(dirname(folder)) !== 'node_modules') return false;
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === PINNED;
}

const majorOf = (version) => version.split('.')[0];
const { node } = process.versions;

// It never hands over to itself. An image brings its own Node in place of the package: there the major version counts.
const isRightNode =
  node === PINNED ||
  (pinned ? realpathSync(pinned) === process.execPath : majorOf(node) === majorOf(PINNED));

if (isRightNode) {
  // What was compiled is kept beside the packages, which only someone who may change the code can write to.
  // A folder that cannot be written to is no error: all is compiled again. Worker threads read the variable.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/guard', import.meta.url),
  );
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // Handed over: the process that started this one has ended, so this one ends in good order.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
  const { main } = await import('../cli/src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  if (!pinned) {
    console.error(
      `guard: this is Node ${node}; Guard runs on Node ${majorOf(PINNED)}, and was tested on ${PINNED}.\n` +
        'A checkout gets that Node from `npm ci`, and the tarball brings it on Linux (x64 and arm64).\n' +
        `Elsewhere, start Guard with a Node ${majorOf(PINNED)} of your own: https://nodejs.org/en/download`,
    );
    process.exit(1);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // The channel closes when this process ends, however it ends.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal gives Ctrl-C to both. A second one would end the child at once, with requests under way.
    const isFromTerminal = signal === 'SIGINT' && process.stdin.isTTY;
    process.on(signal, () => !isFromTerminal && child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(`guard: ${pinned} cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal).kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
