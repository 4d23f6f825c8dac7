#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on any Node far enough to say what is wrong, or to hand
// over to the Node that was installed with the project.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

if (isNewEnough(process.versions.node)) {
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
      `guard: this is Node ${process.versions.node}; Guard needs ${NEEDED.join('.')} or newer.\n` +
        'Run `npm ci` in this folder, which brings a fitting Node along, or install a newer Node.',
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
