import type { Sealer } from '../../session/sealer.ts';

const MAC_BYTES = 16;

/**
 * What an upload has to bring along before its ticket gives a session: `bits.mac`. It belongs to one ticket. Nobody
 * can begin with it before the collector has given it away.
 */
export function issueTask(sealer: Sealer, ticketId: string, bits: number): string {
  return `${bits}.${macOf(sealer, ticketId, bits).toString('base64url')}`;
}

/** Bits of a task that was issued for this ticket; 0 for anything else. */
export function readTask(sealer: Sealer, ticketId: string, task: string): number {
  const [, digit = '', mac = ''] = /^([1-9])\.([\w-]{22})$/.exec(task) ?? [];
  const bytes = Buffer.from(mac, 'base64url');
  const isOurs = bytes.length === MAC_BYTES && sealer.verify([ticketId, digit], bytes);
  // Node's decoder ignores spare bits: one task, one spelling.
  return isOurs && bytes.toString('base64url') === mac ? Number(digit) : 0;
}

function macOf(sealer: Sealer, ticketId: string, bits: number): Buffer {
  return sealer.seal([ticketId, String(bits)], MAC_BYTES);
}
