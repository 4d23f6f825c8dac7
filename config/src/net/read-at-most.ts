/** Reads all bytes of a body. Undefined for more than `maxBytes`: then the rest is not read. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
