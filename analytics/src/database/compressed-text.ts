/** A frame starts with a checksum and a head: the method, the size of head and data, and the unpacked size. */
const CHECKSUM = 16;
const HEAD = CHECKSUM + 9;

/**
 * Unpacks ClickHouse's answer to `compress=1`: frames of LZ4 blocks. Guard uses it for texts of errors, which it reads
 * before the client gets them. Checksums are not verified, because the data comes over a connection to the own server.
 *
 * @param maxBytes The text is cut here. It also ends at the first frame that cannot be unpacked.
 */
export function compressedText(body: Buffer, maxBytes: number): Buffer {
  const text: number[] = [];
  for (let at = 0; at + HEAD <= body.length && text.length < maxBytes;) {
    const end = at + CHECKSUM + body.readUInt32LE(at + CHECKSUM + 1);
    if (end <= at + HEAD) break;
    unpack(body.subarray(at + HEAD, end), text, maxBytes);
    at = end;
  }
  return Buffer.from(text.slice(0, maxBytes));
}

/** The last frame of such an answer. An error has a frame of its own after the rows that were written before it. */
export function lastFrame(body: Buffer): Buffer {
  let last = 0;
  for (let at = 0; at + HEAD <= body.length;) {
    last = at;
    at += CHECKSUM + body.readUInt32LE(at + CHECKSUM + 1);
  }
  return body.subarray(last);
}

/** One LZ4 block: runs of literals, each followed by a copy of earlier bytes. */
function unpack(block: Buffer, text: number[], maxBytes: number): void {
  let at = 0;
  const next = (): number => block[at++] ?? 0;
  const length = (short: number): number => {
    let long = short;
    for (let more = short === 15 ? 255 : 0; more === 255;) long += more = next();
    return long;
  };
  while (at < block.length && text.length < maxBytes) {
    const token = next();
    const literals = length(token >> 4);
    const run = block.subarray(at, (at += literals)).subarray(0, maxBytes - text.length);
    // Bytes are pushed one by one: a call with a million arguments would fail.
    for (const byte of run) text.push(byte);
    if (at >= block.length) return;
    const distance = next() + 256 * next();
    const copied = length(token & 15) + 4;
    for (let each = 0; each < copied && text.length < maxBytes; each += 1)
      text.push(text[text.length - distance] ?? 0);
  }
}
