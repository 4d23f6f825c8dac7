import { createHash } from 'node:crypto';

/**
 * Ticket ids that are the same in each test. The id of a ticket decides its questions. With random ids, a few visits
 * would teach other questions in each run.
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
