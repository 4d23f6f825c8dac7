import { CHALLENGE } from '@guard/config/contract/limits';
import { z } from 'zod';
import { randomText } from '../../session/random-text.ts';
import type { Sealer } from '../../session/sealer.ts';
import { readFields, writeFields } from './ticket-fields.ts';

/**
 * The ticket of one challenge. Nothing is stored when a challenge goes out: all that has to be known
 * when the answer comes back stands in the ticket, under a MAC. It is readable and holds no secret.
 */

/** Everything a ticket says. Times are milliseconds since the epoch, by the server's clock. */
export interface Ticket {
  /** Random; what is spent when the ticket is used (SessionStore.spend). */
  readonly id: string;
  readonly organisation: string;
  readonly sessionId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** /24 or /64 of the address that was challenged. */
  readonly network: string;
  readonly userAgentHash: string;
  /** The code a person can read out to support. */
  readonly reference: string;
  /** Fingerprint of the rules it was issued under (challenge-terms.ts). */
  readonly ruleSet: string;
  /** Bits of work that its answer costs at least (work/); 0 for none. */
  readonly work: number;
  /**
   * Origin of the page whose browser script asked for it, the only one that may answer; empty for a challenge
   * page, because behind proxies only its visitor is sure under which name it is shown.
   */
  readonly origin: string;
  /** The client of the challenged request (request/client-class.ts): the session passes for this client. */
  readonly client: string;
  /** What the signals found in that request. */
  readonly found: readonly string[];
  /** Its page was given witnesses (challenge/witnesses/), so its answer has to show them. */
  readonly witnessed: boolean;
  /** Id of the page's program (program/programs.ts), whose form its upload has; empty for the plain form. */
  readonly program: string;
}

export type TicketReading =
  | { readonly kind: 'valid'; readonly ticket: Ticket }
  /** Made by us, and too old. */
  | { readonly kind: 'expired'; readonly ticket: Ticket }
  /** Made by us, with a time in the future: a clock was set back, here or where it was issued. */
  | { readonly kind: 'early'; readonly ticket: Ticket }
  /** Made with our secret by another version of Guard, in a form that this one does not know. */
  | { readonly kind: 'unknown' }
  /** Never issued. */
  | { readonly kind: 'invalid' };

const NOTHING: readonly string[] = [];

const MAC_BYTES = 32;
const MAX_CHARS = 2048;

/** In this order under the MAC; a new order or number of fields needs a new VERSION. */
const VERSION = '8';
/** Whole milliseconds, and bits of work. */
const Whole = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number);
const Fields = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.string(),
  z.string(),
  Whole,
  Whole,
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  Whole.refine((bits) => bits <= CHALLENGE.work.max),
  z.string(),
  z.string(),
  z.string(),
  z.enum(['', 'w']),
  z.string(),
]);

/** The ticket as base64url text. `sealer` is createSealer(secrets, 'ticket'). */
export function issueTicket(sealer: Sealer, ticket: Ticket): string {
  const body = writeFields([
    VERSION,
    ticket.id,
    ticket.organisation,
    ticket.sessionId,
    String(ticket.issuedAt),
    String(ticket.expiresAt),
    ticket.network,
    ticket.userAgentHash,
    ticket.reference,
    ticket.ruleSet,
    String(ticket.work),
    ticket.origin,
    ticket.client,
    ticket.found.join(' '),
    ticket.witnessed ? 'w' : '',
    ticket.program,
  ] satisfies z.input<typeof Fields>);
  return Buffer.concat([sealer.seal([body], MAC_BYTES), body]).toString('base64url');
}

/**
 * Reads what issueTicket wrote; one changed bit anywhere makes it invalid. Never throws. `nowMs` is
 * the server's clock: a ticket counts until its own expiry, and may be younger than now by the skew
 * that instances are allowed.
 */
export function readTicket(sealer: Sealer, text: string, nowMs: number): TicketReading {
  const bytes = text.length <= MAX_CHARS ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  // Node's decoder skips what is not base64url and ignores spare bits: one ticket, one spelling.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return { kind: 'invalid' };
  const body = bytes.subarray(MAC_BYTES);
  if (!sealer.verify([body], bytes.subarray(0, MAC_BYTES))) return { kind: 'invalid' };
  // The MAC is ours, so these are fields; only their version can be another one.
  const fields = Fields.safeParse(readFields(body));
  if (!fields.success) return { kind: 'unknown' };
  const ticket = ticketOf(fields.data);
  if (nowMs >= ticket.expiresAt) return { kind: 'expired', ticket };
  return { kind: ticket.issuedAt > nowMs + CHALLENGE.clockSkewMs ? 'early' : 'valid', ticket };
}

function ticketOf(fields: z.output<typeof Fields>): Ticket {
  const [, id, organisation, sessionId, issuedAt, expiresAt, network, ...others] = fields;
  const [userAgentHash, reference, ruleSet, work, origin, client, found, witnessed, program] =
    others;
  return {
    id,
    organisation,
    sessionId,
    issuedAt,
    expiresAt,
    network,
    userAgentHash,
    reference,
    ruleSet,
    work,
    origin,
    client,
    found: found === '' ? NOTHING : found.split(' '),
    witnessed: witnessed !== '',
    program,
  };
}

/** A fresh ticket id: 96 random bits. */
export function newTicketId(): string {
  return randomText(16);
}
