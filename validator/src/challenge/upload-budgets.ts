import { CHALLENGE } from '@guard/config/contract/limits';
import type { SessionStore } from '@guard/config/contract/ports';
import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import type { Ticket } from './tickets/ticket.ts';
import type { PassPrice } from './work/pass-price.ts';

/** Whether a solved challenge may get its session now. */
type Admission =
  | { readonly kind: 'admitted' }
  /** The same ticket was sent shortly before. */
  | { readonly kind: 'repeated' }
  /** The network is over its budget. Milliseconds until the next upload fits. */
  | { readonly kind: 'limited'; readonly waitMs: number };

/**
 * Counts an upload without objections. Other uploads do not use the shared budgets: malformed uploads, tickets that are
 * spent, unsolved or from another network, and repeats of one ticket.
 */
export async function admit(ticket: Ticket, ip: string, store: SessionStore): Promise<Admission> {
  const { usesOfTicket, firstUploadsPerAddress, uploadsPerNetwork } = CHALLENGE;
  if ((await store.take('ticket', ticket.id, usesOfTicket)) > 0) return { kind: 'repeated' };
  const ownMs = await store.take('first-uploads', groupOf(ip), firstUploadsPerAddress);
  if (ownMs === 0) return { kind: 'admitted' };
  const sharedMs = await store.take('upload', ticket.network, uploadsPerNetwork);
  if (sharedMs === 0) return { kind: 'admitted' };
  return { kind: 'limited', waitMs: Math.min(ownMs, sharedMs) };
}

/** Counts a useless upload only for its sender. Returns 0, or the milliseconds to wait. */
export function countUseless(ip: string, store: SessionStore): number | Promise<number> {
  return store.take('vain-uploads', groupOf(ip), CHALLENGE.vainUploadsPerAddress);
}

/** Counts a wrong answer for its network, like a pass. A limit for each sender protects the neighbours. */
export async function countFailure(
  ticket: Ticket,
  ip: string,
  store: SessionStore,
  price: PassPrice | undefined,
): Promise<void> {
  if (price === undefined) return;
  const waitMs = await store.take('failed-uploads', groupOf(ip), CHALLENGE.failuresPerAddress);
  if (waitMs === 0) await price.countForNetwork(ticket, store);
}

/** Senders with an unreadable address share one group. */
function groupOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? 'unknown' : addressGroup(ip);
}
