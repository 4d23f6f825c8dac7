import { hashWords } from './sha256.ts';

/** How long the page may stand still at a stretch, in milliseconds: one frame. */
const SLICE_MS = 16;
/** Hashes between two looks at the clock. */
const BATCH = 256;

/**
 * The silent proof of work: the first counter for which SHA-256 over (SHA-256 of the ticket, counter
 * as 4 bytes) begins with `bits` zero bits. Nothing for 0 bits. It gives way to the page between
 * slices. The server reads the bits that count from the ticket (src/challenge/proof-of-work.ts).
 */
export async function solve(ticket: string, bits: number): Promise<{ readonly work?: number }> {
  if (!(bits > 0)) return {};
  // A ticket is base64url: one byte a character.
  const block = new DataView(new ArrayBuffer(36));
  hashWords(Uint8Array.from(ticket, (letter) => letter.charCodeAt(0))).forEach((word, at) =>
    block.setUint32(at * 4, word),
  );
  const bytes = new Uint8Array(block.buffer);
  for (let counter = 0; ;) {
    const sliceEnd = performance.now() + SLICE_MS;
    do {
      for (const batchEnd = counter + BATCH; counter < batchEnd; counter += 1) {
        block.setUint32(32, counter);
        const [first = 0] = hashWords(bytes);
        if (first >>> (32 - bits) === 0) return { work: counter };
      }
    } while (performance.now() < sliceEnd);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
