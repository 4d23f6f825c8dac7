import { z } from 'zod';

const KiB = 1024;

/** `512B`, `2KiB` or `0` to bytes, at most `maxKiB`. */
export function sizeUpTo(maxKiB: number) {
  return z.unknown().transform((value, context): number => {
    if (value === 0) return 0;
    const match = /^(\d{1,9})(B|KiB)$/.exec(typeof value === 'string' ? value : '');
    const bytes = Number(match?.[1]) * (match?.[2] === 'KiB' ? KiB : 1);
    // What is no size is not a number here, and compares as too large.
    if (bytes <= maxKiB * KiB) return bytes;
    context.addIssue({
      code: 'custom',
      message: `expected a size such as 512B or 2KiB, at most ${maxKiB}KiB, or 0 for none`,
    });
    return z.NEVER;
  });
}
