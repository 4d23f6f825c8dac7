import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * This module rewrites a picture with few colours as a picture with a palette. Such a picture needs about a third of
 * the bytes.
 */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;

/**
 * Converts a PNG of a browser (8 bits, RGB or RGBA, not interlaced) to a PNG with a palette. With more than 256 colours
 * the channels become coarser, step by step. Transparency is removed.
 */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, channels, data } = readPng(png);
  const pixels = unfilter(data, width * channels, height, channels);
  for (let bits = 8; ; bits -= 1) {
    const indexedImage = withPalette(pixels, channels, bits);
    if (indexedImage) return writePng(width, height, indexedImage);
  }
}

function readPng(png: Buffer) {
  const data: Buffer[] = [];
  let header: Buffer = Buffer.alloc(0);
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const channels = header[9] === 6 ? 4 : 3;
  if (header[8] !== 8 || (header[9] !== 6 && header[9] !== 2) || header[12] !== 0) {
    throw new Error('expected a PNG of 8 bits a channel, RGB or RGBA, not interlaced');
  }
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    channels,
    data: inflateSync(Buffer.concat(data)),
  };
}

/** Removes the filters of the rows (PNG specification, 9.2). */
function unfilter(data: Buffer, stride: number, height: number, channels: number): Buffer {
  const output = Buffer.alloc(stride * height);
  const byteAt = (row: number, column: number) =>
    row < 0 || column < 0 ? 0 : (output[row * stride + column] ?? 0);
  for (let row = 0; row < height; row += 1) {
    const filter = data[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column += 1) {
      const left = byteAt(row, column - channels);
      const up = byteAt(row - 1, column);
      const raw = data[row * (stride + 1) + 1 + column] ?? 0;
      const corner = column < channels ? 0 : byteAt(row - 1, column - channels);
      output[row * stride + column] = raw + predict(filter, left, up, corner);
    }
  }
  return output;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      throw new Error('a PNG has five filters');
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [byLeft, byUp, byCorner] = [left, up, corner].map((one) => Math.abs(estimate - one));
  if ((byLeft ?? 0) <= (byUp ?? 0) && (byLeft ?? 0) <= (byCorner ?? 0)) return left;
  return (byUp ?? 0) <= (byCorner ?? 0) ? up : corner;
}

/** Returns undefined when there are too many colours for a palette. */
function withPalette(pixels: Buffer, channels: number, bits: number) {
  const mask = (0xff << (8 - bits)) & 0xff;
  const palette = new Map<number, number>();
  const colours: number[] = [];
  const indices = Buffer.alloc(pixels.length / channels);
  for (let pixel = 0; pixel < indices.length; pixel += 1) {
    const offset = pixel * channels;
    const rgb = [0, 1, 2].map((channel) => pixels[offset + channel] ?? 0);
    const key = rgb.reduce((sum, value) => sum * 256 + (value & mask), 0);
    let index = palette.get(key);
    if (index === undefined) {
      index = palette.size;
      if (index === MAX_COLOURS) return undefined;
      palette.set(key, index);
      // The first of several merged colours is used for all of them.
      colours.push(...rgb);
    }
    indices[pixel] = index;
  }
  return { indices, palette: Buffer.from(colours) };
}

function writePng(
  width: number,
  height: number,
  { indices, palette }: { readonly indices: Buffer; readonly palette: Buffer },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    indices.copy(rows, row * (width + 1) + 1, row * width, (row + 1) * width);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Buffer): Buffer {
  const typeAndBody = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typeAndBody));
  return Buffer.concat([length, typeAndBody, check]);
}
