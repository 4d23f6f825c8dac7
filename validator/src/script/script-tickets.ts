import { networkOf } from '@guard/config/net/network-of';
import type { Clock } from '@guard/config/contract/ports';
import { CHALLENGE } from '@guard/config/contract/limits';
import { createCascadeSheets } from '../challenge/cascade/sheet.ts';
import type { ChallengeTerms } from '../challenge/tickets/challenge-terms.ts';
import { newReference } from '../challenge/tickets/reference-code.ts';
import { issueTicket, newTicketId } from '../challenge/tickets/ticket.ts';
import { connectionClass } from '../request/client-class.ts';
import { hashUserAgent } from '../request/user-agent-hash.ts';
import { createSealer } from '../session/sealer.ts';
import type { OpenSessionOptions } from './open-session.ts';

/**
 * Tickets for the browser script: the same as a challenge page's, so that its uploads are read,
 * judged and spent in the same place and by the same rules.
 */
export function createScriptTickets(options: {
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** The organisation's terms as they are now (challenge-terms.ts). */
  readonly termsOf: (organisation: string) => ChallengeTerms;
}): OpenSessionOptions['issueTicket'] {
  const sealer = createSealer(options.secrets, 'ticket');
  const sheets = createCascadeSheets(options.secrets);
  return ({ organisation, sessionId, ip, userAgent, origin }) => {
    const nowMs = options.clock();
    const terms = options.termsOf(organisation);
    const id = newTicketId();
    const ticket = issueTicket(sealer, {
      id,
      organisation,
      sessionId,
      issuedAt: nowMs,
      expiresAt: nowMs + CHALLENGE.ticketTtlMs,
      network: networkOf(ip),
      userAgentHash: hashUserAgent(userAgent),
      reference: newReference(),
      origin,
      // Its connection may be to another host than the one it visits.
      client: connectionClass(origin.startsWith('https:') ? 'https' : 'http', undefined),
      found: [],
      // The page is not ours: its policy may forbid them.
      witnessed: false,
      // The script lies in caches, longer than a program is of use.
      program: '',
      ...terms,
    });
    return { ticket, sheet: sheets.issue(id) };
  };
}
