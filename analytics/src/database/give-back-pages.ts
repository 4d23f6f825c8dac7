import { readFileSync } from 'node:fs';
import { DataType, load } from 'ffi-rs';

/** Linux: what lies in the range is read from its file again when it is needed again. */
const MADV_DONTNEED = 4;

/**
 * Gives back the pages of these files that the process holds as they are on disk: code and tables that mostly
 * its start needed, some 180 MB. What it needs again is read again, a page at a time.
 *
 * Only ranges that cannot be written to and hold no page of the process's own, such as one with addresses that were put in at the
 * start: such a page would be lost. Does nothing on systems whose /proc does not say what lies in memory.
 *
 * @param library a name under which ffi-rs has opened a library that links to libc.
 */
export function giveBackPages(
  library: string,
  files: readonly string[],
  smaps = '/proc/self/smaps',
): void {
  for (const { start, bytes } of untouchedRanges(readOrEmpty(smaps), files)) {
    load({
      library,
      funcName: 'madvise',
      retType: DataType.I32,
      paramsType: [DataType.U64, DataType.U64, DataType.I32],
      paramsValue: [start, bytes, MADV_DONTNEED],
    });
  }
}

/** A chroot has no /proc, and some kernels are built without this file. The database does without. */
function readOrEmpty(smaps: string): string {
  try {
    return process.platform === 'linux' ? readFileSync(smaps, 'utf8') : '';
  } catch {
    return '';
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
    // A page of the process's own that was swapped out counts as no anonymous memory, and would be lost as well.
    const isUntouched = /^Anonymous: +0 kB$/m.test(text) && !/^(?:Swap|Locked): +[1-9]/m.test(text);
    if (rights.includes('w') || !isUntouched || !files.includes(file)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, bytes: Number.parseInt(to, 16) - start }];
  });
}
