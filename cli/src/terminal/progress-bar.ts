/** The part of a terminal stream that a bar needs. */
export interface BarStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** One more is done; `name` is its name. */
  advance(name: string): void;
  /** Takes the bar away. */
  end(): void;
}

const WIDTH = 24;

/** A bar on a terminal, and nothing where the output goes into a file or another program. */
export function createProgressBar(stream: BarStream, total: number): ProgressBar {
  let done = 0;
  if (stream.isTTY !== true) return { advance: () => undefined, end: () => undefined };
  const draw = (name: string): void => {
    const filled = Math.round((done / total) * WIDTH);
    const bar = '#'.repeat(filled) + '.'.repeat(WIDTH - filled);
    const line = `[${bar}] ${done}/${total} ${name}`;
    stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  draw('');
  return {
    advance(name) {
      done += 1;
      draw(name);
    },
    end() {
      stream.write('\r\u001b[K');
    },
  };
}
