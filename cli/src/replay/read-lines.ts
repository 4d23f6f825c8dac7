import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The longest line in bytes. The longest URL and headers fit, and some bytes are left. */
const MAX_LINE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

export interface LineSink {
  /** Called for each line. `number` is counted from 1. */
  line(text: string, number: number): void;
  /** Called when a line is longer than any request. The line is skipped. */
  tooLong(number: number): void;
  /** Called with the number of bytes that were read since the last call. */
  addBytes(bytes: number): void;
}

/** Reads a log file, also a gzipped file (`.gz`), or standard input for `-`. Throws when the file does not exist. */
export async function readLogFile(file: string, sink: LineSink): Promise<void> {
  if (file === '-') return readLines(process.stdin, sink, (bytes) => sink.addBytes(bytes));
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  if (!file.endsWith('.gz')) return readLines(source, sink, (bytes) => sink.addBytes(bytes));
  source.on('data', (chunk) => sink.addBytes(chunk.length));
  const plain = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => plain.destroy(error));
  return readLines(source.pipe(plain), sink, () => undefined);
}

/** The length of a file in bytes. Undefined for a stream, which has no length. */
export function lengthOf(file: string): number | undefined {
  if (file === '-') return undefined;
  const stat = statSync(file);
  return stat.isFile() ? stat.size : undefined;
}

/**
 * Passes lines on as they arrive, with bounded memory. Each line is copied: a slice of a decoded chunk would keep the
 * whole chunk in memory for as long as a cache keeps the slice.
 */
export async function readLines(
  source: Readable,
  sink: Pick<LineSink, 'line' | 'tooLong'>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let number = 0;
  let remainder: Buffer = Buffer.alloc(0);
  let isSkipping = false;
  const takeLine = (bytes: Buffer): void => {
    number += 1;
    const text = isSkipping || bytes.length > MAX_LINE_BYTES ? undefined : bytes.toString('utf8');
    if (text === undefined) sink.tooLong(number);
    else if (text !== '' && text !== '\r') sink.line(text, number);
    isSkipping = false;
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const bytes = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
      takeLine(bytes.subarray(from, to));
      from = to + 1;
    }
    remainder = bytes.subarray(from);
    if (remainder.length > MAX_LINE_BYTES) {
      isSkipping = true;
      remainder = Buffer.alloc(0);
    }
    onBytes(chunk.length);
  }
  if (remainder.length > 0 || isSkipping) takeLine(remainder);
}

export function headOf(file: string, bytes: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(handle, buffer, 0, bytes, 0));
  } finally {
    closeSync(handle);
  }
}
