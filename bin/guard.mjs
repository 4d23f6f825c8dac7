#!/usr/bin/env node
// Plain JavaScript, because any Node must be able to read it: Guard itself runs on one version only, and
// hands over to the Node that its install brings where another one started this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

/** The major version of the `node` package in package.json, which all tests run on. */
const MAJOR = '24';

if (process.versions.node.split('.')[0] === MAJOR) {
  // What was compiled is kept beside the packages, which only someone who may change the code can write to.
  // A folder that cannot be written to is no error: all is compiled again. Worker threads read the variable.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/guard', import.meta.url),
  );
  nodeModule.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { main } = await import('../cli/src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(pinned)) {
    console.error(
      `guard: this is Node ${process.versions.node}; Guard runs on Node ${MAJOR}.\n` +
        `Run \`npm ci\` in this folder, which brings that Node along, or start Guard with Node ${MAJOR}.`,
    );
    process.exit(1);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
