/** Castagnoli's polynomial, bits reversed (RFC 3720 section 12.1). */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** CRC32C of `bytes` as an unsigned number, with the four bytes at `blankAt` counted as zero. */
export function crc32cWithBlank(bytes: Uint8Array, blankAt: number): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) {
    const byte = at >= blankAt && at < blankAt + 4 ? 0 : (bytes[at] ?? 0);
    crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
