import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { addressUse } from '@guard/config/net/special-address';
import type { Settings } from '@guard/config/settings/schema';
import type { Answered } from './exchange.ts';

/** An address as Guard writes it (IPv4 for a mapped one). Another text comes back as it is. */
export function plainAddress(address: string): string {
  return parseIp(address) ?? address;
}

/** Whether an address is of no use on the internet: loopback, private, link-local and the like. */
export function isLocal(address: string): boolean {
  return addressUse(address) !== 'public';
}

/** Whether what a program at this address says of its visitors is believed, as far as the settings are known. */
export function isTrusted(settings: Settings | undefined, address: string): boolean {
  return PrefixSet.from(settings?.trusted_proxies ?? []).has(plainAddress(address));
}

/** Whether what answered runs on the machine that asked. */
export function isHere({ localAddress, remoteAddress }: Answered): boolean {
  return (
    plainAddress(localAddress) === plainAddress(remoteAddress) ||
    addressUse(plainAddress(remoteAddress)) === 'loopback'
  );
}
