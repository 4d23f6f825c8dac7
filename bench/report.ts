/** What `npm run bench` is asked for. A bench that drives no sockets has no use for `connections`. */
export interface BenchOptions {
  readonly rounds: number;
  /** Seconds a target and round. */
  readonly seconds: number;
  /** Requests under way. */
  readonly connections: number;
  /** How long a soak takes. */
  readonly minutes: number;
  /** How much a stream carries each way. */
  readonly mib: number;
  /** Events that a dashboard looks at. */
  readonly rows: number;
  readonly onProgress: (text: string) => void;
}

/** What every bench/<name>.ts gives back from `bench(options)`. */
export interface Report {
  /** The numbers, for `--json`. */
  readonly rows: readonly unknown[];
  /** The same as a Markdown table: {@link toTable}. */
  readonly table: string;
  /** What the bench is there to rule out has happened; then `npm run bench` ends with 1. */
  readonly failed?: boolean;
  /** How it was measured, one sentence each: they stand below the table that `--record` writes. */
  readonly notes: readonly string[];
}

/** A Markdown table whose columns line up; every column but the first is aligned to the right. A row may end early. */
export function toTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) =>
    Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, i) => (i === 0 ? cells[0]?.padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}
