import { brotliCompressSync, constants } from 'node:zlib';

/** Writes the bundled tables of autonomous systems, in the formats of asn-file.ts and asn-names.ts. */

/** One run of addresses. For IPv6, `start` is the upper 64 bits. */
export interface AsnRun {
  readonly start: bigint;
  /** The number of the autonomous system. 0 when none is known. */
  readonly asn: number;
}

/** Packs runs in ascending order. */
export function encodeAsnFile(v4: readonly AsnRun[], v6: readonly AsnRun[]): Buffer {
  const bytes: number[] = [];
  for (const runs of [v4, v6]) {
    putVarint(bytes, BigInt(runs.length));
    let last = 0n;
    for (const { start } of runs) {
      putVarint(bytes, start - last);
      last = start;
    }
    for (const { asn } of runs) putVarint(bytes, BigInt(asn));
  }
  return pack(Buffer.from(bytes));
}

/** Packs names, sorted by number. */
export function encodeAsnNames(names: ReadonlyMap<number, string>): Buffer {
  let last = 0;
  const lines = [...names]
    .toSorted(([a], [b]) => a - b)
    .map(([asn, name]) => {
      const line = `${asn - last} ${name.replaceAll('\n', ' ')}\n`;
      last = asn;
      return line;
    });
  const text = Buffer.from(lines.join(''));
  return pack(text);
}

function pack(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

function putVarint(bytes: number[], value: bigint): void {
  let rest = value;
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}
