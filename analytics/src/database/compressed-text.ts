/**
 * A frame starts with a checksum and a head. The head has the method, the size of head and data, and the unpacked size.
 */
const CHECKSUM_BYTES = 16;
const FRAME_START_BYTES = CHECKSUM_BYTES + 9;

/**
 * Unpacks ClickHouse's answer to `compress=1`: frames of LZ4 blocks. Guard uses it for texts of errors, which it reads
 * before the client gets them. Checksums are not verified, because the data comes over Guard's own connection to the
 * database.
 *
 * @param maxBytes The text is cut after this many bytes. The text also ends before the first frame that cannot be
 * unpacked.
 */
export function unpackText(body: Buffer, maxBytes: number): Buffer {
  const text: number[] = [];
  for (let at = 0; at + FRAME_START_BYTES <= body.length && text.length < maxBytes;) {
    const end = at + CHECKSUM_BYTES + body.readUInt32LE(at + CHECKSUM_BYTES + 1);
    if (end <= at + FRAME_START_BYTES) break;
    unpack(body.subarray(at + FRAME_START_BYTES, end), text, maxBytes);
    at = end;
  }
  return Buffer.from(text.slice(0, maxBytes));
}

/**
 * Returns the last frame of an answer to `compress=1`. ClickHouse puts an error in a separate frame, after the frames
 * of the rows.
 */
export function lastFrame(body: Buffer): Buffer {
  let lastStart = 0;
  for (let at = 0; at + FRAME_START_BYTES <= body.length;) {
    lastStart = at;
    at += CHECKSUM_BYTES + body.readUInt32LE(at + CHECKSUM_BYTES + 1);
  }
  return body.subarray(lastStart);
}

/** Unpacks one LZ4 block: runs of literals, each followed by a copy of earlier bytes. */
function unpack(block: Buffer, text: number[], maxBytes: number): void {
  let at = 0;
  const nextByte = (): number => block[at++] ?? 0;
  const readLength = (nibble: number): number => {
    let total = nibble;
    for (let addend = nibble === 15 ? 255 : 0; addend === 255;) total += addend = nextByte();
    return total;
  };
  while (at < block.length && text.length < maxBytes) {
    const token = nextByte();
    const literals = readLength(token >> 4);
    const literalBytes = block.subarray(at, (at += literals)).subarray(0, maxBytes - text.length);
    // Each byte is pushed alone, because one call of `push` with a million arguments would fail.
    for (const byte of literalBytes) text.push(byte);
    if (at >= block.length) return;
    const distance = nextByte() + 256 * nextByte();
    const copyLength = readLength(token & 15) + 4;
    for (let copiedBytes = 0; copiedBytes < copyLength && text.length < maxBytes; copiedBytes += 1)
      text.push(text[text.length - distance] ?? 0);
  }
}
