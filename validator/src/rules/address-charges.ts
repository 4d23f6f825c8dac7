import type { Budget, Charge } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';

/**
 * The IPv6 networks of one address that have counters, and how many budgets each of them gets. One visitor usually has
 * a /64. A visitor with a whole /56 gets 4 budgets, and a visitor with a whole /48 gets 16. Without these counters,
 * they would get 256 and 65,536 budgets.
 */
const IPV6_GROUPS = [
  { bits: 64, budgets: 1 },
  { bits: 56, budgets: 4 },
  { bits: 48, budgets: 16 },
] as const;

/** Returns the counters for one address. `ip` is spelled as `parseIp` returns it. */
export type AddressCharges = (ip: string) => readonly Charge[];

export function compileAddressCharges(budget: Budget): AddressCharges {
  const groups = IPV6_GROUPS.map(({ bits, budgets }) => ({
    bits,
    budget: { ...budget, requests: budget.requests * budgets },
  }));
  return (ip) =>
    ip.includes(':')
      ? groups.map((group) => ({ subject: ipv6NetworkOf(ip, group.bits), budget: group.budget }))
      : [{ subject: ip, budget }];
}
