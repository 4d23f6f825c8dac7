import type { Sealer } from '../../session/sealer.ts';

const MAC_BYTES = 16;

/**
 * A task that an upload has to solve before its ticket gives a session: `bits.mac`. It belongs to one ticket, so work
 * on it cannot start before the collector has issued it.
 */
export function issueTask(sealer: Sealer, ticketId: string, bits: number): string {
  return `${bits}.${sealer.seal([ticketId, String(bits)], MAC_BYTES).toString('base64url')}`;
}

/** The bits of a task that was issued for this ticket. 0 for any other text. */
export function readTask(sealer: Sealer, ticketId: string, task: string): number {
  const [, digit = '', mac = ''] = /^([1-9])\.([\w-]{22})$/.exec(task) ?? [];
  const bytes = Buffer.from(mac, 'base64url');
  const isOurs = bytes.length === MAC_BYTES && sealer.verify([ticketId, digit], bytes);
  // Node's decoder ignores spare bits. This check allows only one spelling of a task.
  return isOurs && bytes.toString('base64url') === mac ? Number(digit) : 0;
}
