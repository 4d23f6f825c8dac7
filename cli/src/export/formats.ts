import { ParquetJoin } from './join-parquet.ts';

/** Makes one file of the answers to many statements. */
export interface Joining {
  /** What to write for one more answer. */
  add(answer: Buffer): Buffer;
  /** What to write behind the last answer. */
  end(): Buffer;
  /** Rows so far. */
  rows(): number;
}

interface ExportFormat {
  /** Names of files that are in this format. */
  readonly endings: RegExp;
  /** Formats of ClickHouse. `head` is for the first statement, which has no rows; `rows` is for all others. */
  readonly head: string;
  readonly rows: string;
  readonly join: () => Joining;
}

const NOTHING = Buffer.alloc(0);
const [QUOTE, LINE_END] = [0x22, 0x0a];

export const FORMATS = {
  jsonl: {
    endings: /\.(jsonl|ndjson)$/i,
    head: 'JSONEachRow',
    rows: 'JSONEachRow',
    // JSON writes a line end inside of a text as \n.
    join: () => joinLines((answer) => countLines(answer, false)),
  },
  csv: {
    endings: /\.csv$/i,
    head: 'CSVWithNames',
    rows: 'CSV',
    join: () => {
      let isHead = true;
      return joinLines((answer) => {
        const lines = isHead ? 0 : countLines(answer, true);
        isHead = false;
        return lines;
      });
    },
  },
  parquet: {
    endings: /\.parquet$/i,
    head: 'Parquet',
    rows: 'Parquet',
    join: () => {
      const join = new ParquetJoin();
      return { add: (answer) => join.add(answer), end: () => join.end(), rows: () => join.rows };
    },
  },
} as const satisfies Readonly<Record<string, ExportFormat>>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/** The format that was asked for, or what the name of the file says, or JSON lines. Undefined for a name that is none. */
export function chooseFormat(asked: string | undefined, file = ''): FormatName | undefined {
  if (asked !== undefined) return FORMAT_NAMES.find((name) => name === asked);
  return FORMAT_NAMES.find((name) => FORMATS[name].endings.test(file)) ?? 'jsonl';
}

function joinLines(count: (answer: Buffer) => number): Joining {
  let rows = 0;
  return {
    add(answer) {
      rows += count(answer);
      return answer;
    },
    end: () => NOTHING,
    rows: () => rows,
  };
}

/** Lines that end outside of quotes. A quote inside of quotes is written twice. */
function countLines(text: Buffer, hasQuotes: boolean): number {
  let lines = 0;
  let isOpen = false;
  for (const byte of text) {
    if (hasQuotes && byte === QUOTE) isOpen = !isOpen;
    else if (byte === LINE_END && !isOpen) lines += 1;
  }
  return lines;
}
