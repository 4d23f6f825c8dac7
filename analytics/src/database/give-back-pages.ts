import { readFileSync } from 'node:fs';
import { DataType, load } from 'ffi-rs';

/** Linux: what lies in the range is read from its file again when it is needed again. */
const MADV_DONTNEED = 4;

/**
 * Gives back the pages of these files that the process holds as they are on disk: code and tables that mostly
 * its start needed, some 180 MB. What it needs again is read again, a page at a time.
 *
 * Only ranges that cannot be written to and hold no page of the process's own, such as one with addresses that were put in at the
 * start: such a page would be lost. Does nothing on systems without /proc.
 *
 * @param library a name under which ffi-rs has opened a library that links to libc.
 */
export function giveBackPages(library: string, files: readonly string[]): void {
  if (process.platform !== 'linux') return;
  for (const { start, bytes } of untouchedRanges(readFileSync('/proc/self/smaps', 'utf8'), files)) {
    load({
      library,
      funcName: 'madvise',
      retType: DataType.I32,
      paramsType: [DataType.U64, DataType.U64, DataType.I32],
      paramsValue: [start, bytes, MADV_DONTNEED],
    });
  }
}

interface Range {
  /** An address, below 2^47. */
  readonly start: number;
  readonly bytes: number;
}

/** The ranges of {@link giveBackPages} in the text of /proc/self/smaps. */
export function untouchedRanges(smaps: string, files: readonly string[]): Range[] {
  return smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m).flatMap((text) => {
    const head = /^([\da-f]+)-([\da-f]+) (\S+) \S+ \S+ \d+ +(.+)$/m.exec(text);
    if (!head) return [];
    const [, from = '', to = '', rights = '', file = ''] = head;
    const isUntouched = /^Anonymous: +0 kB$/m.test(text) && !/^Locked: +[1-9]/m.test(text);
    if (rights.includes('w') || !isUntouched || !files.includes(file)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, bytes: Number.parseInt(to, 16) - start }];
  });
}
