/** A GIF (89a) with this size in pixels. Its only image is one transparent pixel in the corner. */
export function imageFile(width: number, height: number): Buffer {
  const bytes = Buffer.from(PIXEL);
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** Header, screen, two colours, "colour 0 is transparent", a one-pixel image, end marker. */
const PIXEL = Buffer.from(
  'GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;',
  'latin1',
);
