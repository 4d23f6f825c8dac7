interface BarStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** Counts one more item, or `amount` more. The bar shows `name`. */
  advance(name: string, amount?: number): void;
  /** Removes the bar. */
  end(): void;
}

const WIDTH = 24;

/** A progress bar on a terminal. Shows nothing when the output is a file or pipe, or when the total is 0 (unknown). */
export function createProgressBar(stream: BarStream, total: number): ProgressBar {
  if (stream.isTTY !== true || total === 0)
    return { advance: () => undefined, end: () => undefined };
  let doneCount = 0;
  let shownPercent = -1;
  const advance = (name: string, amount = 1): void => {
    doneCount += amount;
    // There can be more items than were expected at the start.
    const percent = Math.min(100, Math.floor((100 * doneCount) / total));
    if (percent === shownPercent) return;
    shownPercent = percent;
    const bar = '#'.repeat(Math.round((percent / 100) * WIDTH)).padEnd(WIDTH, '.');
    const line = `[${bar}] ${doneCount}/${total} ${name}`;
    stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  advance('', 0);
  return { advance, end: () => void stream.write('\r\u001b[K') };
}
