import { CHALLENGE } from '@guard/config/contract/limits';
import type { SessionStore } from '@guard/config/contract/ports';
import type { TicketReading } from './tickets/ticket.ts';
import type { Settlement } from './settle.ts';

/**
 * Records that the visitor left the page. Each valid ticket is recorded only once, because a visitor could otherwise
 * create any number of events. The ticket stays valid, because people come back to the page.
 */
export async function noteLeft(reading: TicketReading, store: SessionStore): Promise<Settlement> {
  if (reading.kind !== 'valid') return { kind: 'left', ticket: undefined };
  const { ticket } = reading;
  const isFirst = await store.spend(`left:${ticket.id}`, CHALLENGE.ticketTtlMs);
  return { kind: 'left', ticket: isFirst ? ticket : undefined };
}
