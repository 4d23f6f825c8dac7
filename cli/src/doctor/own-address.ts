import { parseIp } from '@guard/config/net/cidr';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { addressUse } from '@guard/config/net/special-address';
import type { Settings } from '@guard/config/settings/schema';
import type { AnsweredExchange } from '../exchange/exchange.ts';

/** An address in the spelling of Guard. A v4-mapped address becomes IPv4. Other text is returned unchanged. */
export function plainAddress(address: string): string {
  return parseIp(address) ?? address;
}

/** Whether an address cannot be used on the internet: loopback, private, link-local and similar. */
export function isLocalAddress(address: string): boolean {
  return addressUse(address) !== 'public';
}

/** Whether Guard trusts forwarded headers from this address, as far as the settings are known. */
export function isTrusted(settings: Settings | undefined, address: string): boolean {
  return PrefixSet.from(settings?.trusted_proxies ?? []).has(plainAddress(address));
}

export function isFromThisMachine({ localAddress, remoteAddress }: AnsweredExchange): boolean {
  return (
    plainAddress(localAddress) === plainAddress(remoteAddress) ||
    addressUse(plainAddress(remoteAddress)) === 'loopback'
  );
}
