import { ParquetJoin } from './join-parquet.ts';

/** Joins the answers to many statements into one file. */
interface AnswerJoiner {
  /** The bytes to write for one more answer. */
  add(answer: Buffer): Buffer;
  /** The bytes to write after the last answer. */
  end(): Buffer;
  rows(): number;
}

interface ExportFormat {
  /** Matches the names of files in this format. */
  readonly endings: RegExp;
  /**
   * Names of ClickHouse formats. `head` is for the first statement, whose answer has no rows. `rows` is for all other
   * statements.
   */
  readonly head: string;
  readonly rows: string;
  readonly join: () => AnswerJoiner;
}

const NO_BYTES = Buffer.alloc(0);
const [QUOTE, LINE_END] = [0x22, 0x0a];
/**
 * Semicolon, tab and line ends. In many countries a spreadsheet splits cells at semicolons. It then treats the quotes
 * of this file as text, so one of these characters inside a text begins a new cell.
 */
const SEPARATORS: ReadonlySet<number> = new Set([0x3b, 0x09, 0x0a, 0x0d]);
/** This character at the start of a cell tells a spreadsheet that the cell is text. */
const APOSTROPHE = Buffer.from("'");
const LONGEST_SIGN = 3;

export const FORMATS = {
  jsonl: {
    endings: /\.(jsonl|ndjson)$/i,
    head: 'JSONEachRow',
    rows: 'JSONEachRow',
    // JSON writes a line break inside a text as `\n`, so each line is a row.
    join: joinJsonLines,
  },
  csv: {
    endings: /\.csv$/i,
    head: 'CSVWithNames',
    rows: 'CSV',
    join: joinCsv,
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

/** The requested format, or else the format of the file name, or else JSON lines. Undefined for an unknown format. */
export function chooseFormat(requestedName: string | undefined, file = ''): FormatName | undefined {
  if (requestedName !== undefined) return FORMAT_NAMES.find((name) => name === requestedName);
  return FORMAT_NAMES.find((name) => FORMATS[name].endings.test(file)) ?? 'jsonl';
}

function joinJsonLines(): AnswerJoiner {
  let rows = 0;
  return {
    add(answer) {
      for (const byte of answer) if (byte === LINE_END) rows += 1;
      return answer;
    },
    end: () => NO_BYTES,
    rows: () => rows,
  };
}

/** Joins CSV answers. A row ends at a line break outside quotes. A quote inside quotes is written twice. */
function joinCsv(): AnswerJoiner {
  // The line with the names is not counted, so this starts at -1.
  let lines = -1;
  return {
    add(answer) {
      const parts: Buffer[] = [];
      let copiedBytes = 0;
      let isInQuotes = false;
      const markFormula = (at: number): void => {
        if (!startsFormula(answer, at)) return;
        parts.push(answer.subarray(copiedBytes, at), APOSTROPHE);
        copiedBytes = at;
      };
      for (let at = 0; at < answer.length; at += 1) {
        const byte = answer[at];
        if (byte === QUOTE) {
          isInQuotes = !isInQuotes;
          if (isInQuotes && answer[at - 1] !== QUOTE) markFormula(at + 1);
        } else if (isInQuotes && SEPARATORS.has(byte ?? 0)) markFormula(pastQuotes(answer, at + 1));
        else if (byte === LINE_END && !isInQuotes) lines += 1;
      }
      return Buffer.concat([...parts, answer.subarray(copiedBytes)]);
    },
    end: () => NO_BYTES,
    rows: () => lines,
  };
}

function pastQuotes(text: Buffer, from: number): number {
  let at = from;
  while (text[at] === QUOTE) at += 1;
  return at;
}

/** Whether a text begins like a formula. A spreadsheet would run such a text of a visitor. */
function startsFormula(text: Buffer, at: number): boolean {
  return /^[=+\-@\t\r＝＋－＠]/u.test(text.toString('utf8', at, at + LONGEST_SIGN));
}
