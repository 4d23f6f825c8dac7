import { createHash } from 'node:crypto';

const block = Buffer.alloc(36);

/**
 * True when `counter` is the work a ticket asks for: SHA-256 over (SHA-256 of the ticket, counter as 4
 * bytes, big-endian) begins with `bits` zero bits. `bits` comes from the ticket, never from an upload.
 *
 * It makes sessions cost something by the thousand and proves nothing about who computed it: what is
 * decided is decided by the judges. The page's side is browser/page/work.ts.
 */
export function isWorkDone(ticket: string, counter: number | undefined, bits: number): boolean {
  if (bits === 0) return true;
  if (counter === undefined) return false;
  createHash('sha256').update(ticket).digest().copy(block);
  block.writeUInt32BE(counter, 32);
  return createHash('sha256').update(block).digest().readUInt32BE(0) >>> (32 - bits) === 0;
}
