import { addressUse } from '@guard/config/net/special-address';
import { lookup } from 'node:dns/promises';

type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/** A URL has an address of IPv6 in brackets. */
const resolveAll: Lookup = (name) => lookup(name.replace(/^\[(.*)\]$/, '$1'), { all: true });

/**
 * Why the host of a URL is refused: one of its addresses is not a public internet address. Undefined when the host
 * is allowed. The name may resolve differently a moment later, but a private host has no certificate for it.
 */
export async function refusalOfHost(
  url: string,
  resolve: Lookup = resolveAll,
): Promise<string | undefined> {
  const { hostname } = new URL(url);
  const found = await resolve(hostname);
  const inside = found.find(isPrivate);
  return inside && `${hostname} leads to ${inside.address}, which is no address of the internet`;
}

/**
 * Whether a host is inside a private network. A publisher on the internet can also give its name a private address, so
 * each address counts. A name that gets other addresses a moment later is not noticed.
 */
export async function isInside(url: string, resolve: Lookup = resolveAll): Promise<boolean> {
  const found = await resolve(new URL(url).hostname);
  return found.length > 0 && found.every(isPrivate);
}

function isPrivate({ address }: { readonly address: string }): boolean {
  return addressUse(address) !== 'public';
}
