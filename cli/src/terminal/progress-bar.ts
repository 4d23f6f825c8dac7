/** The part of a terminal stream that a bar needs. */
export interface BarStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** Something is done: one more, or this many more; `name` is its name. */
  advance(name: string, amount?: number): void;
  /** Takes the bar away. */
  end(): void;
}

const WIDTH = 24;

/** A bar on a terminal, and nothing where the output goes into a file or another program, or the total is not known: 0. */
export function createProgressBar(stream: BarStream, total: number): ProgressBar {
  if (stream.isTTY !== true || total === 0)
    return { advance: () => undefined, end: () => undefined };
  let done = 0;
  let shown = -1;
  const advance = (name: string, amount = 1): void => {
    done += amount;
    // More may come than there was at first.
    const percent = Math.min(100, Math.floor((100 * done) / total));
    if (percent === shown) return;
    shown = percent;
    const bar = '#'.repeat(Math.round((percent / 100) * WIDTH)).padEnd(WIDTH, '.');
    const line = `[${bar}] ${done}/${total} ${name}`;
    stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  advance('', 0);
  return { advance, end: () => void stream.write('\r\u001b[K') };
}
