import type { Budget, Charge } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';

/**
 * The networks to which an IPv6 address is charged, and how many budgets each has. One visitor usually has a /64. A
 * visitor who has a /56 gets 4 budgets, and one who has a /48 gets 16, not thousands.
 */
const IPV6_GROUPS = [
  { bits: 64, budgets: 1 },
  { bits: 56, budgets: 4 },
  { bits: 48, budgets: 16 },
] as const;

/** The counters to which one address is charged. `ip` is as `parseIp` writes it. */
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
