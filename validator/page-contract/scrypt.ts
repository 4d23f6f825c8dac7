/**
 * One try of the memory-hard work: scrypt with 4 MiB. Page and server must use the same numbers. A page may still have
 * the program of an older version in its cache, so new numbers need a new file name of the program.
 */
export const SCRYPT = { N: 4096, r: 8, p: 1 } as const;

/** Number of bytes of a try that are checked. */
export const TRY_BYTES = 4;

/** Whether a try begins with this many zero bits, 1 to 32. */
export function hasZeroBits(attempt: Uint8Array, bits: number): boolean {
  const { buffer, byteOffset, byteLength } = attempt;
  return new DataView(buffer, byteOffset, byteLength).getUint32(0) >>> (32 - bits) === 0;
}
