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

/** Change this value when the fields or their order change. */
const VERSION = '8';
const Whole = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number);

/**
 * The fields of a ticket as texts, in the order in which the MAC covers them. Times are in milliseconds of the server's
 * clock.
 */
const Fields = z.strictObject({
  /** A random id. Using the ticket spends this id (SessionStore.spend). */
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
  /** Fingerprint of the rules at the creation of the ticket (challenge-terms.ts). */
  ruleSet: z.string(),
  /** Minimum bits of work for an upload (work/). 0 means no work. */
  work: Whole.refine((bits) => bits <= CHALLENGE.work.max),
  /**
   * The origin of the page whose browser script asked for the ticket. Only a page of this origin is allowed to answer.
   * Empty for a challenge page, because behind proxies only the browser has the certain host name.
   */
  origin: z.string(),
  /** The client class of the challenged request (request/client-class.ts). The session is valid only for this class. */
  client: z.string(),
  /** The findings of the signals about the challenged request. */
  found: z
    .string()
    .transform((text): readonly string[] => (text === '' ? NO_STRINGS : text.split(' '))),
  /** Whether the page has witnesses (challenge/witnesses/). If so, the upload must have their measurements. */
  witnessed: z.enum(['', 'w']).transform((text) => text === 'w'),
  /** Id of the page program (program/programs.ts), which decides the upload form. Empty for the plain form. */
  program: z.string(),
});
const FIELD_NAMES = Fields.keyof().options;

/**
 * The ticket of one challenge. Guard stores nothing when it issues a challenge, so the ticket contains all data that
 * the collector needs. A MAC protects the ticket. Visitors can read it, so it contains no secret.
 */
export type Ticket = Readonly<z.output<typeof Fields>>;

export type TicketReading =
  | { readonly kind: 'valid'; readonly ticket: Ticket }
  /** Issued by this installation, but too old. */
  | { readonly kind: 'expired'; readonly ticket: Ticket }
  /** Issued by this installation, with a time in the future, because a clock was set back here or at the issuer. */
  | { readonly kind: 'early'; readonly ticket: Ticket }
  /** Issued with the same secret by another version of Guard, which has other fields. */
  | { readonly kind: 'unknown' }
  /** Guard never issued this text. */
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
 * Reads a ticket that issueTicket wrote. Any changed bit makes it invalid. Never throws. The time of a valid ticket can
 * be later than `nowMs` by the allowed clock skew between instances.
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

/** The session and the visitor of a new ticket. */
export interface TicketRequest {
  readonly organisation: string;
  readonly sessionId: string;
  /** Normalised address, spelled as `parseIp` returns it. */
  readonly ip: string;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The fields that challenge pages and the browser script fill in the same way. */
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
