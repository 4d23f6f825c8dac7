/** Design units per em. */
export const UNITS_PER_EM = 1000;

type Table = readonly [tag: string, bytes: Buffer];

/**
 * A TrueType font with one empty glyph for `character` (in the basic plane). The glyph is `advance` design units wide.
 * The file has only the tables that browsers require (OpenType 1.9, "Required Tables").
 */
export function fontFile(character: number, advance: number): Buffer {
  return joinTables([
    ['OS/2', os2(character, advance)],
    ['cmap', characterMap(character)],
    ['glyf', EMPTY_GLYPHS],
    ['head', HEAD],
    ['hhea', words(1, 0, 800, -200, 0, advance, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2)],
    // Advance width and left side bearing of two glyphs: the glyph for missing characters has the same width.
    ['hmtx', words(advance, 0, advance, 0)],
    ['loca', words(0, 0, 0)],
    // Version 1.0, two glyphs, and zero for all other maxima.
    ['maxp', words(1, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['name', words(0, 0, 6)],
    // Version 3: glyphs have no names.
    ['post', words(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ]);
}

/** Writes 16-bit big-endian numbers. Negative numbers are two's complement. */
function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => bytes.writeUInt16BE(value & 0xffff, at * 2));
  return bytes;
}

const EMPTY_GLYPHS = Buffer.alloc(4);

/** Version, revision, checksum, magic number, flags, units, two dates, box, style, smallest size, direction, formats. */
const HEAD = words(
  ...[1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, UNITS_PER_EM, 0, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 8, 2, 0, 0],
);

/** Format 4: one segment with the character, and the required last segment. */
function characterMap(character: number): Buffer {
  return words(
    ...[0, 1, 3, 1, 0, 12],
    ...[4, 32, 0, 4, 4, 1, 0],
    ...[character, 0xffff, 0, character, 0xffff],
    ...[1 - character, 1, 0, 0],
  );
}

function os2(character: number, advance: number): Buffer {
  const bytes = Buffer.alloc(96);
  words(4, advance, 400, 5).copy(bytes);
  bytes.write('GRD ', 58, 'latin1');
  words(0x40, character, character, 800, -200, 0, 800, 200).copy(bytes, 62);
  return bytes;
}

function joinTables(tables: readonly Table[]): Buffer {
  const directory = Buffer.alloc(12 + tables.length * 16);
  words(1, 0, tables.length, 128, 3, tables.length * 16 - 128).copy(directory);
  const parts = [directory];
  let offset = directory.length;
  tables.forEach(([tag, bytes], index) => {
    const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
    bytes.copy(padded);
    const entry = 12 + index * 16;
    directory.write(tag, entry, 'latin1');
    directory.writeUInt32BE(checksum(padded), entry + 4);
    directory.writeUInt32BE(offset, entry + 8);
    directory.writeUInt32BE(bytes.length, entry + 12);
    parts.push(padded);
    offset += padded.length;
  });
  return Buffer.concat(parts);
}

function checksum(padded: Buffer): number {
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
}
