import { CHALLENGE } from '@guard/config/contract/limits';
import type { SessionStore } from '@guard/config/contract/ports';
import { parseIp } from '@guard/config/net/cidr';
import { addressGroup } from '@guard/config/net/network-of';
import type { Ticket } from './tickets/ticket.ts';
import type { PassPrice } from './work/pass-price.ts';

/** Whether an upload can get its session now. */
type Admission =
  | { readonly kind: 'admitted' }
  /** The same ticket was sent shortly before. */
  | { readonly kind: 'repeated' }
  /** The network is over its budget. `waitMs` is the time until it can upload again, in milliseconds. */
  | { readonly kind: 'limited'; readonly waitMs: number };

/**
 * Counts an upload without objections for its ticket, its address and its network. Other uploads must not use up the
 * budget that visitors of a network share.
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

/** Counts a useless upload only for its own address. Returns 0, or the milliseconds to wait. */
export function countUseless(ip: string, store: SessionStore): number | Promise<number> {
  return store.take('vain-uploads', groupOf(ip), CHALLENGE.vainUploadsPerAddress);
}

/**
 * Counts a wrong answer for its network, as a pass is counted. A limit for each address protects the other visitors of
 * the network.
 */
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

/** The group in which an address is counted. All unreadable addresses share one group. */
function groupOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? 'unknown' : addressGroup(ip);
}
