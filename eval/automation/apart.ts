import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { childrenOf } from '../../test/kit/children.ts';
import { fileNameOf } from './tool-name.ts';
import type { Ending, Tool, Visit } from './tool.ts';

const PROGRAM = join(import.meta.dirname, 'visit.ts');

/** Longest visit, from the start of the browser to its end; then everything of it is killed. */
const VISIT_MS = 90_000;
/** Longest wait for the rest of what a process that has ended said. */
const PIPE_MS = 2_000;
/** Most that is kept of what a tool writes to stderr. */
const MAX_LOG_CHARS = 4_096;

/**
 * The tool's visit in a process of its own: some tools reject promises that are not awaited, wait
 * forever, or leave their browser behind, and none of that may end the measurement or outlive it.
 */
export function apart(tool: Tool): Visit {
  return async (url, { profile, display }) => {
    const child = spawn(process.execPath, [PROGRAM, fileNameOf(tool), url, profile, display], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
    child.stderr
      .setEncoding('utf8')
      .on('data', (part: string) => (log = (log + part).slice(-MAX_LOG_CHARS)));
    const exited = once(child, 'exit');
    const closed = once(child, 'close');
    const timer = setTimeout(() => killAll(child.pid), VISIT_MS);
    await exited;
    clearTimeout(timer);
    // What it said may still be on its way; a browser left behind may hold the pipe open for ever.
    await Promise.race([closed, wait(PIPE_MS)]);
    const ending = /^ending: (origin|screen)$/m.exec(said)?.[1];
    // Checked by the pattern.
    if (ending !== undefined) return ending as Ending;
    throw new Error(lastError(log) ?? `ended with ${child.exitCode ?? child.signalCode}`);
  };
}

function lastError(log: string): string | undefined {
  return log
    .split('\n')
    .findLast((line) => /\w*Error: /.test(line))
    ?.trim();
}

/** A process and all it has started, the youngest first; those that have ended meanwhile are skipped. */
function killAll(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [...descendants(pid).reverse(), pid]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function descendants(pid: number): number[] {
  try {
    return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}
