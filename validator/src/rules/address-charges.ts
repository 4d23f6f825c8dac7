import type { Budget, Charge } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';

/**
 * Whose counters an IPv6 address is charged to, and how many times the budget each holds. One visitor has a
 * whole /64. A visitor who rents or is given more of them gains 4 budgets by a /56 and 16 by a /48, and not
 * thousands.
 */
const IPV6_GROUPS = [
  { bits: 64, budgets: 1 },
  { bits: 56, budgets: 4 },
  { bits: 48, budgets: 16 },
] as const;

/** The counters that one address is charged to. Takes an address as `parseIp` spells it. */
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
