import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { childrenOf } from '../../test/kit/children.ts';
import { type Ending, fileNameOf, type Tool, type Visit } from './tool.ts';

const PROGRAM = join(import.meta.dirname, 'visit.ts');

/**
 * The time limit of a visit, from the start of the browser to its end. After this time all processes of the visit are
 * killed.
 */
const VISIT_MS = 90_000;
/** The time limit for the remaining output of a process that has ended. */
const PIPE_MS = 2_000;
/** Maximum length of the kept stderr of a tool. */
const MAX_LOG_CHARS = 4_096;

/**
 * Runs a visit in a separate process, because some tools reject promises that are not awaited, wait forever, or do not
 * end their browser.
 */
export function visitInProcess(tool: Tool): Visit {
  return async (url, { profile, display }) => {
    const child = spawn(process.execPath, [PROGRAM, fileNameOf(tool), url, profile, display], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
    child.stderr
      .setEncoding('utf8')
      .on('data', (part: string) => (log = (log + part).slice(-MAX_LOG_CHARS)));
    const exitEvent = once(child, 'exit');
    const closeEvent = once(child, 'close');
    const timer = setTimeout(() => killAll(child.pid), VISIT_MS);
    await exitEvent;
    clearTimeout(timer);
    // The last output can still arrive. A browser that did not end can keep the pipe open forever.
    await Promise.race([closeEvent, wait(PIPE_MS)]);
    const ending = /^ending: (origin|screen)$/m.exec(output)?.[1];
    // The cast is safe: the pattern has only these two words.
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

/** Kills a process and all its descendants, the youngest first. */
function killAll(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [...descendants(pid).reverse(), pid]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // The process has already ended.
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
