import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Sealer } from '../session/sealer.ts';

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
}

export type TicketReading =
  | { readonly kind: 'valid'; readonly ticket: Ticket }
  /** Made by us, and too old. */
  | { readonly kind: 'expired'; readonly ticket: Ticket }
  /** Never issued in this form. */
  | { readonly kind: 'invalid' };

const MAC_BYTES = 32;
const MAX_CHARS = 2048;

/** In this order under the MAC; a new order or number of fields needs a new VERSION. */
const VERSION = '1';
const Fields = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.string(),
  z.string(),
  z.int(),
  z.int(),
  z.string(),
  z.string(),
  z.string(),
]);

/** The ticket as base64url text. `sealer` is createSealer(secrets, 'ticket'). */
export function issueTicket(sealer: Sealer, ticket: Ticket): string {
  const body = JSON.stringify([
    VERSION,
    ticket.id,
    ticket.organisation,
    ticket.sessionId,
    ticket.issuedAt,
    ticket.expiresAt,
    ticket.network,
    ticket.userAgentHash,
    ticket.reference,
  ] satisfies z.infer<typeof Fields>);
  return Buffer.concat([sealer.seal([body], MAC_BYTES), Buffer.from(body)]).toString('base64url');
}

/** Reads what issueTicket wrote; one changed bit anywhere makes it invalid. Never throws. */
export function readTicket(sealer: Sealer, text: string, nowMs: number): TicketReading {
  const bytes = text.length <= MAX_CHARS ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  // Node's decoder skips what is not base64url and ignores spare bits: one ticket, one spelling.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return { kind: 'invalid' };
  const body = bytes.toString('utf8', MAC_BYTES);
  if (!sealer.verify([body], bytes.subarray(0, MAC_BYTES))) return { kind: 'invalid' };
  // The MAC is ours, so the body is JSON; only its version can be another one.
  const fields = Fields.safeParse(JSON.parse(body));
  if (!fields.success) return { kind: 'invalid' };
  const [, id, organisation, sessionId, issuedAt, expiresAt, network, userAgentHash, reference] =
    fields.data;
  const ticket: Ticket = {
    id,
    organisation,
    sessionId,
    issuedAt,
    expiresAt,
    network,
    userAgentHash,
    reference,
  };
  return { kind: nowMs < expiresAt ? 'valid' : 'expired', ticket };
}

/** What a ticket remembers of a User-Agent. */
export function hashUserAgent(userAgent: string): string {
  return createHash('sha256').update(userAgent).digest('base64url').slice(0, 22);
}

/** A fresh ticket id: 96 random bits. */
export function newTicketId(): string {
  return randomBytes(12).toString('base64url');
}
