/** The options of `npm run bench`. A bench without sockets ignores `connections`. */
export interface BenchOptions {
  readonly rounds: number;
  /** The seconds for each target in each round. */
  readonly seconds: number;
  /** The number of requests under way. */
  readonly connections: number;
  /** The duration of a soak, in minutes. */
  readonly minutes: number;
  /** The size of a stream in each direction, in MiB. */
  readonly mib: number;
  /** The number of events in the database of a dashboard. */
  readonly rows: number;
  readonly onProgress: (text: string) => void;
}

/** The result of `bench(options)` in every bench/<name>.ts. */
export interface Report {
  readonly rows: readonly unknown[];
  /** The numbers of the result as a Markdown table: {@link toTable}. */
  readonly table: string;
  /** True when the bench found a failure, such as a wrong answer. Then `npm run bench` exits with 1. */
  readonly failed?: boolean;
  /** Notes about the measurement, one sentence each. `--record` writes them below the table. */
  readonly notes: readonly string[];
}

/**
 * A Markdown table with aligned columns. All columns except the first are aligned to the right. A row can have fewer
 * cells.
 */
export function toTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, i) => (i === 0 ? cells[0]?.padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}
