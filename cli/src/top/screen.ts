import { styleText } from 'node:util';
import type { Line, Size } from './frame.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };
const CTRL_C = '\u0003';

interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The alternate screen of a terminal. When it ends, the terminal shows its earlier content again. */
export interface Screen {
  readonly size: () => Size;
  readonly draw: (lines: readonly Line[]) => void;
  readonly leave: () => void;
}

export function enterScreen(output: Output): Screen {
  output.write(ENTER);
  return {
    size: () => ({
      columns: output.columns ?? DEFAULT_SIZE.columns,
      rows: output.rows ?? DEFAULT_SIZE.rows,
    }),
    draw(lines) {
      const body = lines.map((line) => styledLine(line, output) + CLEAR_LINE_END).join('\r\n');
      output.write(HOME + body + CLEAR_BELOW);
    },
    leave() {
      output.write(LEAVE);
    },
  };
}

export function styledLine({ text, kind }: Line, output: Output): string {
  switch (kind) {
    case 'plain':
      return text;
    case 'heading':
      return styleText('bold', text, { stream: output });
    case 'alarm':
      return styleText('yellow', text, { stream: output });
  }
}

/** Calls `end` at q, Ctrl-C or a signal. Returns a function that stops watching. */
export function watchForEnd(input: NodeJS.ReadStream, end: () => void): () => void {
  const onKeys = (bytes: Buffer) => {
    const text = bytes.toString();
    if (text.includes('q') || text.includes(CTRL_C)) end();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  if (input.isTTY) {
    input.setRawMode(true);
    input.on('data', onKeys);
    input.resume();
  }
  return () => {
    for (const signal of signals) process.off(signal, end);
    if (!input.isTTY) return;
    input.setRawMode(false);
    input.off('data', onKeys);
    input.pause();
  };
}
