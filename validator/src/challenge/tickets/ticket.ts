import { CHALLENGE } from '@guard/config/contract/limits';
import { networkOf } from '@guard/config/net/network-of';
import { z } from 'zod';
import { hashUserAgent } from '../../request/user-agent-hash.ts';
import { randomText } from '../../session/random-text.ts';
import type { Sealer } from '../../session/sealer.ts';
import { newReference } from './reference-code.ts';
import { readFields, writeFields } from './ticket-fields.ts';

const MAC_BYTES = 32;
const MAX_CHARS = 2048;

const NO_STRINGS: readonly string[] = [];

/** Changes when the fields or their order change. */
const VERSION = '8';
const Whole = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number);

/** The fields of a ticket as texts, in their order under the MAC. Times are in milliseconds of the server's clock. */
const Fields = z.strictObject({
  /** Random. Using the ticket spends this id (SessionStore.spend). */
  id: z.string(),
  organisation: z.string(),
  sessionId: z.string(),
  issuedAt: Whole,
  expiresAt: Whole,
  /** The /24 or /64 of the challenged address. */
  network: z.string(),
  userAgentHash: z.string(),
  /** The code that a person can read out to support. */
  reference: z.string(),
  /** Fingerprint of the rules at its creation (challenge-terms.ts). */
  ruleSet: z.string(),
  /** Least bits of work for the answer (work/). 0 means none. */
  work: Whole.refine((bits) => bits <= CHALLENGE.work.max),
  /**
   * The origin of the page whose browser script asked for the ticket. Only this page may answer. Empty for a
   * challenge page: behind proxies only the visitor knows the host name for certain.
   */
  origin: z.string(),
  /** The client class of the challenged request (request/client-class.ts). The session is valid only for it. */
  client: z.string(),
  /** The findings of the signals in that request. */
  found: z
    .string()
    .transform((text): readonly string[] => (text === '' ? NO_STRINGS : text.split(' '))),
  /** Whether the page has witnesses (challenge/witnesses/). Then the answer must show them. */
  witnessed: z.enum(['', 'w']).transform((text) => text === 'w'),
  /** Id of the page's program (program/programs.ts), which decides the upload's form. Empty: the plain form. */
  program: z.string(),
});
const FIELD_NAMES = Fields.keyof().options;

/**
 * The ticket of one challenge. Nothing is stored when a challenge is issued, so the ticket contains everything that is
 * needed for the answer. A MAC protects it. It is readable and contains no secret.
 */
export type Ticket = Readonly<z.output<typeof Fields>>;

export type TicketReading =
  | { readonly kind: 'valid'; readonly ticket: Ticket }
  /** Issued by this installation, but too old. */
  | { readonly kind: 'expired'; readonly ticket: Ticket }
  /** Issued by this installation, with a time in the future, because a clock was set back here or at the issuer. */
  | { readonly kind: 'early'; readonly ticket: Ticket }
  /** Issued with our secret by another version of Guard, with other fields. */
  | { readonly kind: 'unknown' }
  /** Never issued. */
  | { readonly kind: 'invalid' };

/** The ticket as base64url text. `sealer` is createSealer(secrets, 'ticket'). */
export function issueTicket(sealer: Sealer, ticket: Ticket): string {
  const texts: z.input<typeof Fields> = {
    ...ticket,
    issuedAt: String(ticket.issuedAt),
    expiresAt: String(ticket.expiresAt),
    work: String(ticket.work),
    found: ticket.found.join(' '),
    witnessed: ticket.witnessed ? 'w' : '',
  };
  const body = writeFields([VERSION, ...FIELD_NAMES.map((name) => texts[name])]);
  return Buffer.concat([sealer.seal([body], MAC_BYTES), body]).toString('base64url');
}

/**
 * Reads a ticket that issueTicket wrote. Any changed bit makes it invalid. Never throws. The time of a ticket may be
 * ahead of `nowMs`, the server's clock, by the clock skew that instances may have.
 */
export function readTicket(sealer: Sealer, text: string, nowMs: number): TicketReading {
  const bytes = text.length <= MAX_CHARS ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  // Node's decoder skips invalid characters and ignores spare bits. This check allows only one spelling of a ticket.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== text) return { kind: 'invalid' };
  const body = bytes.subarray(MAC_BYTES);
  if (!sealer.verify([body], bytes.subarray(0, MAC_BYTES))) return { kind: 'invalid' };
  // The MAC is valid, so Guard wrote these fields. Only their version can differ.
  const [version, ...texts] = readFields(body) ?? [];
  const fields = FIELD_NAMES.map((name, index) => [name, texts[index]] as const);
  const ticket = Fields.safeParse(Object.fromEntries(fields)).data;
  if (version !== VERSION || texts.length !== fields.length || !ticket) return { kind: 'unknown' };
  if (nowMs >= ticket.expiresAt) return { kind: 'expired', ticket };
  return { kind: ticket.issuedAt > nowMs + CHALLENGE.clockSkewMs ? 'early' : 'valid', ticket };
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
