import { CHALLENGE } from '@guard/config/contract/limits';
import { networkOf } from '@guard/config/net/network-of';
import { z } from 'zod';
import { hashUserAgent } from '../../request/user-agent-hash.ts';
import { randomText } from '../../session/random-text.ts';
import type { Sealer } from '../../session/sealer.ts';
import { newReference } from './reference-code.ts';
import { readFields, writeFields } from './ticket-fields.ts';

/**
 * The ticket of one challenge. Nothing is stored when a challenge is issued, so the ticket contains everything that is
 * needed for the answer. A MAC protects it. It is readable and contains no secret.
 */

/** The fields of a ticket. Times are in epoch milliseconds of the server's clock. */
export interface Ticket {
  /** Random. Using the ticket spends this id (SessionStore.spend). */
  readonly id: string;
  readonly organisation: string;
  readonly sessionId: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The /24 or /64 of the challenged address. */
  readonly network: string;
  readonly userAgentHash: string;
  /** The code that a person can read out to support. */
  readonly reference: string;
  /** Fingerprint of the rules at its creation (challenge-terms.ts). */
  readonly ruleSet: string;
  /** Least bits of work for the answer (work/). 0 means none. */
  readonly work: number;
  /**
   * The origin of the page whose browser script asked for the ticket. Only this page may answer. Empty for a
   * challenge page: behind proxies only the visitor knows the host name for certain.
   */
  readonly origin: string;
  /** The client class of the challenged request (request/client-class.ts). The session is valid only for it. */
  readonly client: string;
  /** The findings of the signals in that request. */
  readonly found: readonly string[];
  /** Whether the page has witnesses (challenge/witnesses/). Then the answer must show them. */
  readonly witnessed: boolean;
  /** Id of the page's program (program/programs.ts), which decides the upload's form. Empty: the plain form. */
  readonly program: string;
}

export type TicketReading =
  | { readonly kind: 'valid'; readonly ticket: Ticket }
  /** Issued by this installation, but too old. */
  | { readonly kind: 'expired'; readonly ticket: Ticket }
  /** Issued by this installation, with a time in the future, because a clock was set back here or at the issuer. */
  | { readonly kind: 'early'; readonly ticket: Ticket }
  /** Issued with our secret by another version of Guard, in an unknown form. */
  | { readonly kind: 'unknown' }
  /** Never issued. */
  | { readonly kind: 'invalid' };

const NO_STRINGS: readonly string[] = [];

const MAC_BYTES = 32;
const MAX_CHARS = 2048;

/** The order of the fields under the MAC. A new order or number of fields needs a new VERSION. */
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
 * Reads a ticket that issueTicket wrote. Any changed bit makes it invalid. Never throws. `nowMs` is the server's clock.
 * A ticket is valid until its own expiry. Its time may be ahead of `nowMs` by the clock skew that instances may have.
 */
export function readTicket(sealer: Sealer, text: string, nowMs: number): TicketReading {
  const bytes = text.length <= MAX_CHARS ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  // Node's decoder skips invalid characters and ignores spare bits. This check allows only one spelling of a ticket.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return { kind: 'invalid' };
  const body = bytes.subarray(MAC_BYTES);
  if (!sealer.verify([body], bytes.subarray(0, MAC_BYTES))) return { kind: 'invalid' };
  // The MAC is valid, so Guard wrote these fields. Only their version can differ.
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
    found: found === '' ? NO_STRINGS : found.split(' '),
    witnessed: witnessed !== '',
    program,
  };
}

/** The session and the visitor for whom a ticket is issued. */
export interface TicketRequest {
  readonly organisation: string;
  readonly sessionId: string;
  /** Normalised address, spelled as `parseIp` returns it. */
  readonly ip: string;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The fields that every new ticket gets in the same way. */
export function newTicket(visitor: TicketRequest) {
  const { organisation, sessionId, nowMs } = visitor;
  return {
    id: newTicketId(),
    organisation,
    sessionId,
    issuedAt: nowMs,
    expiresAt: nowMs + CHALLENGE.ticketTtlMs,
    network: networkOf(visitor.ip),
    userAgentHash: hashUserAgent(visitor.userAgent),
    reference: newReference(),
  };
}

/** A fresh ticket id: 96 random bits. */
export function newTicketId(): string {
  return randomText(16);
}
