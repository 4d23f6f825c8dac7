import { failed, print } from '../terminal/terminal.ts';
import { frameOf, lineOf } from './frame.ts';
import { enterScreen, styledLine, watchForEnd } from './screen.ts';
import { type Look, watch, type Watched } from './watch.ts';

const PAPER = { columns: Infinity, rows: Infinity };

/** Prints the state once. Resolves with the exit code. */
export async function printOnce(watched: Watched, json: boolean): Promise<number> {
  const never = Promise.withResolvers<undefined>().promise;
  for await (const look of watch(watched, never)) {
    if (look.kind === 'away') return failed('top', `${watched.admin}: ${look.why}`);
    const { snapshot } = look;
    const lines = frameOf(watched.admin, snapshot, PAPER);
    print(
      json
        ? JSON.stringify({ admin: watched.admin, ...snapshot })
        : lines.map((line) => styledLine(line, process.stdout)).join('\n'),
    );
    return 0;
  }
  return 1;
}

/** Draws on the terminal, or prints one line per update without a terminal. Ends at q, Ctrl-C or a signal. */
export async function showLive(watched: Watched): Promise<number> {
  const ended = Promise.withResolvers<undefined>();
  const end = () => ended.resolve(undefined);
  const forget = watchForEnd(process.stdin, end);
  // In `guard top | head -3` the reader closes the pipe after three lines.
  process.stdout.once('error', end);
  const screen = process.stdout.isTTY ? enterScreen(process.stdout) : undefined;
  try {
    screen?.draw([{ text: `guard top  ${watched.admin}  …`, kind: 'heading' }]);
    for await (const look of watch(watched, ended.promise)) {
      if (screen) screen.draw(linesOf(watched, look, screen.size()));
      else if (look.kind === 'seen') print(lineOf(look.snapshot));
      else print(`${watched.admin}: ${look.why}`);
    }
    return 0;
  } finally {
    process.stdout.off('error', end);
    screen?.leave();
    forget();
  }
}

function linesOf(watched: Watched, look: Look, size: { columns: number; rows: number }) {
  switch (look.kind) {
    case 'seen':
      return frameOf(watched.admin, look.snapshot, size);
    case 'away':
      return [
        { text: `guard top  ${watched.admin}`, kind: 'heading' } as const,
        { text: `! no answer: ${look.why}`.slice(0, size.columns), kind: 'alarm' } as const,
      ];
  }
}
