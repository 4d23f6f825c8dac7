import type { Clock } from '@guard/config/contract/ports';
import { createCascadeSheets } from '../challenge/cascade/sheet.ts';
import type { ChallengeTerms } from '../challenge/tickets/challenge-terms.ts';
import { issueTicket, newTicket } from '../challenge/tickets/ticket.ts';
import { connectionClass } from '../request/client-class.ts';
import { createSealer } from '../session/sealer.ts';
import type { OpenSessionOptions } from './open-session.ts';

/**
 * Issues tickets for the browser script. They have the same fields as tickets of challenge pages, so the same code
 * judges their uploads.
 */
export function createScriptTickets(options: {
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly termsOf: (organisation: string) => ChallengeTerms;
}): OpenSessionOptions['issueTicket'] {
  const sealer = createSealer(options.secrets, 'ticket');
  const sheets = createCascadeSheets(options.secrets);
  return ({ origin, ...visitor }) => {
    const newFields = newTicket({ ...visitor, nowMs: options.clock() });
    const ticket = issueTicket(sealer, {
      ...newFields,
      origin,
      // The upload can go to another host than that of the page, so its TLS handshake can differ.
      client: connectionClass(origin.startsWith('https:') ? 'https' : 'http', undefined),
      found: [],
      // The page is the site's own, and its Content-Security-Policy can forbid witness files.
      witnessed: false,
      // The script is no page program, because caches keep it longer than an hour.
      program: '',
      ...options.termsOf(newFields.organisation),
    });
    return { ticket, sheet: sheets.issue(newFields.id) };
  };
}
