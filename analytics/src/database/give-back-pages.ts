import { readFileSync } from 'node:fs';
import { DataType, load } from 'ffi-rs';

/** Linux: the kernel releases the pages. When they are used again, it reads them from the file. */
const MADV_DONTNEED = 4;

/**
 * Releases memory pages of these files that are equal to the file on disk, some 180 MB. Such pages have code and tables
 * that the engine needs mostly during its start. The kernel reads a page again when it is needed. Only ranges without
 * write access and without private pages are released. A private page differs from the file, for example because the
 * loader filled in addresses, so it would be lost. Does nothing when /proc does not describe the memory. `library` is a
 * name under which ffi-rs has opened a library that links to libc.
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

/** A chroot can lack /proc, and some kernels lack the file smaps. Then no memory is released. */
function readOrEmpty(smaps: string): string {
  try {
    return process.platform === 'linux' ? readFileSync(smaps, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The ranges for {@link giveBackPages}, read from the text of /proc/self/smaps. Addresses are below 2^47. */
export function untouchedRanges(
  smaps: string,
  files: readonly string[],
): { readonly start: number; readonly bytes: number }[] {
  return smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m).flatMap((mapping) => {
    const head = /^([\da-f]+)-([\da-f]+) (\S+) \S+ \S+ \d+ +(.+)$/m.exec(mapping);
    if (!head) return [];
    const [, from = '', to = '', rights = '', file = ''] = head;
    // The line `Anonymous` does not count private pages that were swapped out. These pages would be lost too.
    const isUntouched =
      /^Anonymous: +0 kB$/m.test(mapping) && !/^(?:Swap|Locked): +[1-9]/m.test(mapping);
    if (rights.includes('w') || !isUntouched || !files.includes(file)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, bytes: Number.parseInt(to, 16) - start }];
  });
}
