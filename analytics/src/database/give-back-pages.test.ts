import { expect, test } from 'vitest';
import { giveBackPages, untouchedRanges } from './give-back-pages.ts';

const LIBRARY = '/opt/with space/libchdb.so';

/** A range in the format of /proc/self/smaps, with only the lines that Guard reads. */
function range(head: string, anonymousKb = 0, lockedKb = 0, swapKb = 0): string {
  return `${head}\nSize:  8 kB\nRss:  8 kB\nAnonymous:  ${anonymousKb} kB\nSwap:  ${swapKb} kB\nSwapPss:  0 kB\nLocked:  ${lockedKb} kB\nVmFlags: rd mr mw me\n`;
}

test('only pages that equal the file on disk are released', () => {
  const smaps = [
    range(`7f0000000000-7f0000002000 r--p 00000000 fd:00 77  ${LIBRARY}`),
    range(`7f0000002000-7f0000006000 r-xp 00002000 fd:00 77  ${LIBRARY}`),
    // changed by the loader, which filled in addresses
    range(`7f0000006000-7f0000008000 r--p 00006000 fd:00 77  ${LIBRARY}`, 4),
    range(`7f0000008000-7f000000a000 rw-p 00008000 fd:00 77  ${LIBRARY}`), // data that can be written
    range(`7f000000a000-7f000000c000 r-xp 0000a000 fd:00 77  ${LIBRARY}`, 0, 8),
    // changed by the loader, then swapped out
    range(`7f0000010000-7f0000012000 r--p 00006000 fd:00 77  ${LIBRARY}`, 0, 0, 8),
    range(`7f000000c000-7f000000e000 r-xp 00000000 fd:00 78  /usr/lib/libother.so`),
    range('7f000000e000-7f0000010000 r-xp 00000000 00:00 0 '),
  ].join('');
  expect(untouchedRanges(smaps, [LIBRARY])).toEqual([
    { start: 0x7f0000000000, bytes: 0x2000 },
    { start: 0x7f0000002000, bytes: 0x4000 },
  ]);
});

test('a system that does not describe its memory releases nothing', () => {
  expect(() => giveBackPages('none', ['/opt/libchdb.so'], '/nonexistent/smaps')).not.toThrow();
});
