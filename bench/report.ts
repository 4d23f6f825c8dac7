/** What `npm run bench` is asked for. A bench that drives no sockets has no use for `connections`. */
export interface BenchOptions {
  readonly rounds: number;
  /** Seconds a target and round. */
  readonly seconds: number;
  /** Requests under way. */
  readonly connections: number;
  readonly onProgress: (text: string) => void;
}

/** What every bench/<name>.ts gives back from `bench(options)`. */
export interface Report {
  /** The numbers, for `--json`. */
  readonly rows: readonly unknown[];
  /** The same as a Markdown table: {@link toTable}. */
  readonly table: string;
  /** How it was measured, one sentence each: they stand below the table that `--record` writes. */
  readonly notes: readonly string[];
}

/** A Markdown table whose columns line up; every column but the first is aligned to the right. */
export function toTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}
