import type { Clock } from '@guard/config/contract/ports';
import { createCascadeSheets } from '../challenge/cascade/sheet.ts';
import type { ChallengeTerms } from '../challenge/tickets/challenge-terms.ts';
import { issueTicket, newTicket } from '../challenge/tickets/ticket.ts';
import { connectionClass } from '../request/client-class.ts';
import { createSealer } from '../session/sealer.ts';
import type { OpenSessionOptions } from './open-session.ts';

/**
 * Issues tickets for the browser script. They have the form of a challenge page's ticket, so the same code judges their
 * uploads by the same rules.
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
      // The upload may go to another host than the visited one, so its handshake may differ.
      client: connectionClass(origin.startsWith('https:') ? 'https' : 'http', undefined),
      found: [],
      // The page belongs to the site, and its policy may forbid witness files.
      witnessed: false,
      // Caches keep the script longer than a program is valid.
      program: '',
      ...options.termsOf(newFields.organisation),
    });
    return { ticket, sheet: sheets.issue(newFields.id) };
  };
}
