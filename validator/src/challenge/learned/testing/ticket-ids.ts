import { createHash } from 'node:crypto';

/**
 * Ticket ids that are the same in each test. An id decides the questions of its ticket, and so a few visits teach only
 * some of these.
 */
export function createTicketIds() {
  let count = 0;
  return {
    restart: () => {
      count = 0;
    },
    next: (): string => {
      count += 1;
      return createHash('sha256').update(`ticket ${count}`).digest('base64url').slice(0, 16);
    },
  };
}
