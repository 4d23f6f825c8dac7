import type { Sealer } from '../../session/sealer.ts';

const MAC_BYTES = 16;

/**
 * Creates a task, written as `bits.mac`. The upload has to solve it before its ticket gives a session. The MAC covers
 * the ticket, so no program can start the work before the collector has issued the task.
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
