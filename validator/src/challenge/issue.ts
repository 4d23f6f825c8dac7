import { networkOf } from '@guard/config/net/network-of';
import { chooseLanguage } from '../pages/choose-language.ts';
import { createInterstitial } from '../pages/interstitial.ts';
import { createSealer } from '../session/sealer.ts';
import { newReference } from './reference-code.ts';
import { hashUserAgent, issueTicket, newTicketId } from './ticket.ts';

export interface ChallengeRequest {
  readonly organisation: string;
  readonly sessionId: string;
  /** Normalised address, as `parseIp` spells it. */
  readonly ip: string;
  readonly userAgent: string;
  readonly acceptLanguage: string | undefined;
  /** Method of the challenged request; the page prepares people for a form that is sent again. */
  readonly method: string;
  /** `/.guard/verify` behind the gateway, or the collector's absolute URL. */
  readonly uploadUrl: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface Challenge {
  readonly html: string;
  /** Belongs to this one page: it carries the nonce of its script. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reference: string;
}

export type IssueChallenge = (request: ChallengeRequest) => Challenge;

/** How long a challenge can be answered: a page in a background tab is given time to run. */
const TICKET_TTL_MS = 10 * 60_000;

/**
 * Makes challenge pages (spec 3). Issuing stores nothing, so that a flood of requests which never
 * answer costs no memory. `script` is the interstitial of loadBrowserBundle().
 */
export function createChallengeIssuer(options: {
  readonly secrets: readonly string[];
  readonly script: string;
  readonly ticketTtlMs?: number;
}): IssueChallenge {
  const sealer = createSealer(options.secrets, 'ticket');
  const render = createInterstitial(options.script);
  const ttlMs = options.ticketTtlMs ?? TICKET_TTL_MS;
  return ({ organisation, sessionId, ip, userAgent, acceptLanguage, method, uploadUrl, nowMs }) => {
    const reference = newReference();
    const ticket = issueTicket(sealer, {
      id: newTicketId(),
      organisation,
      sessionId,
      issuedAt: nowMs,
      expiresAt: nowMs + ttlMs,
      network: networkOf(ip),
      userAgentHash: hashUserAgent(userAgent),
      reference,
    });
    const page = render({
      ticket,
      uploadUrl,
      reference,
      messages: chooseLanguage(acceptLanguage),
      resubmits: method !== 'GET' && method !== 'HEAD',
    });
    return { ...page, reference };
  };
}
