import { inertJson } from '@guard/config/settings/problems/problems';
import { reportFailure, print } from '../terminal/terminal.ts';
import { frameOf, lineOf } from './frame.ts';
import { enterScreen, styledLine, watchForEnd } from './screen.ts';
import { type WatchResult, watch, type WatchOptions } from './watch.ts';

const UNLIMITED_SIZE = { columns: Infinity, rows: Infinity };

/** Prints the state once. Resolves with the exit code. */
export async function printOnce(options: WatchOptions, json: boolean): Promise<number> {
  const never = Promise.withResolvers<undefined>().promise;
  for await (const look of watch(options, never)) {
    if (look.kind === 'away') return reportFailure('top', `${options.admin}: ${look.why}`);
    const { snapshot } = look;
    const lines = frameOf(options.admin, snapshot, UNLIMITED_SIZE);
    print(
      json
        ? inertJson({ admin: options.admin, ...snapshot })
        : lines.map((line) => styledLine(line, process.stdout)).join('\n'),
    );
    return 0;
  }
  return 1;
}

/** Draws on the terminal. Without a terminal, it prints one line for each update. It ends at q, Ctrl-C or a signal. */
export async function showLive(options: WatchOptions): Promise<number> {
  const endSignal = Promise.withResolvers<undefined>();
  const end = () => endSignal.resolve(undefined);
  const stopWatching = watchForEnd(process.stdin, end);
  // The pipe can close early: in `guard top | head -3` the reader closes it after three lines.
  process.stdout.once('error', end);
  const screen = process.stdout.isTTY ? enterScreen(process.stdout) : undefined;
  try {
    screen?.draw([{ text: `guard top  ${options.admin}  …`, kind: 'heading' }]);
    for await (const look of watch(options, endSignal.promise)) {
      if (screen) screen.draw(linesOf(options, look, screen.size()));
      else if (look.kind === 'seen') print(lineOf(look.snapshot));
      else print(`${options.admin}: ${look.why}`);
    }
    return 0;
  } finally {
    process.stdout.off('error', end);
    screen?.leave();
    stopWatching();
  }
}

function linesOf(
  options: WatchOptions,
  look: WatchResult,
  size: { columns: number; rows: number },
) {
  switch (look.kind) {
    case 'seen':
      return frameOf(options.admin, look.snapshot, size);
    case 'away':
      return [
        { text: `guard top  ${options.admin}`, kind: 'heading' } as const,
        { text: `! no answer: ${look.why}`.slice(0, size.columns), kind: 'alarm' } as const,
      ];
  }
}
