import type { Budget, Charge } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';

/**
 * The IPv6 networks that one address is charged to, and the number of budgets of each. One visitor usually has a /64. A
 * visitor who has a whole /56 gets 4 budgets, and one who has a /48 gets 16, not thousands.
 */
const IPV6_GROUPS = [
  { bits: 64, budgets: 1 },
  { bits: 56, budgets: 4 },
  { bits: 48, budgets: 16 },
] as const;

/** The counters that one address is charged to. `ip` has the form that `parseIp` returns. */
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
