import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Joins compressed pieces into a page in gzip (RFC 1952). So Guard has little to compress for each request. */

/**
 * A part of a page. `deflated` is the result of deflatePiece for a part that many pages share, and undefined for other
 * parts.
 */
export interface GzipPiece {
  readonly length: number;
  readonly deflated: Buffer | undefined;
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const LAST_BLOCK = Buffer.from([1, 0, 0, 255, 255]);
/**
 * Fewer bytes than this between compressed pieces are stored without compression. Must be below 64 KiB (RFC 1951
 * section 3.2.4).
 */
const MIN_DEFLATED_BYTES = 1_024;
/** The compressed data ends at a whole byte, so that other blocks can follow. */
const FINISH = { finishFlush: constants.Z_SYNC_FLUSH };
/**
 * Options for the bytes of one page only. To prepare the memory takes more time than to compress these bytes, so the
 * window is small.
 */
const FAST = { ...FINISH, level: 1, windowBits: 13, memLevel: 5, chunkSize: 8_192 };

/** Compresses a part that many pages share, with the best compression. */
export function deflatePiece(bytes: Uint8Array): Buffer {
  return deflateRawSync(bytes, { ...FINISH, level: 9 });
}

/** Returns `whole` in gzip. The pieces must be in order, and cover all bytes of `whole`. */
export function joinGzip(whole: Buffer, pieces: readonly GzipPiece[]): Buffer {
  const parts: Uint8Array[] = [HEADER];
  let offset = 0;
  let looseFrom = 0;
  const addLoose = () => {
    const loose = whole.subarray(looseFrom, offset);
    if (loose.length >= MIN_DEFLATED_BYTES) parts.push(deflateRawSync(loose, FAST));
    else if (loose.length > 0) parts.push(storedHeader(loose.length), loose);
  };
  for (const { length, deflated } of pieces) {
    if (deflated !== undefined) {
      addLoose();
      parts.push(deflated);
      looseFrom = offset + length;
    }
    offset += length;
  }
  addLoose();
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(whole), 0);
  trailer.writeUInt32LE(whole.length, 4);
  parts.push(LAST_BLOCK, trailer);
  return Buffer.concat(parts);
}

/** The header of a block without compression: its length, and the complement of the length. */
function storedHeader(length: number): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(length ^ 0xffff, 3);
  return header;
}
