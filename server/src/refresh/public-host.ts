import { addressUse } from '@guard/config/net/special-address';
import { lookup } from 'node:dns/promises';

type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/** A URL has brackets around an IPv6 address. */
const resolveAll: Lookup = (name) => lookup(name.replace(/^\[(.*)\]$/, '$1'), { all: true });

/**
 * Says why the host of a URL is refused: one of its addresses is not public. The name can resolve to another address a
 * moment later, but a private host has no certificate for the name.
 */
export async function refusalOfHost(
  url: string,
  resolve: Lookup = resolveAll,
): Promise<string | undefined> {
  const { hostname } = new URL(url);
  const addresses = await resolve(hostname);
  const privateAddress = addresses.find(isPrivate);
  return (
    privateAddress &&
    `${hostname} resolves to ${privateAddress.address}, which is no public address`
  );
}

/**
 * Whether the host of a URL is in a private network. All its addresses must be private, because a publisher on the
 * internet can add a private address to its name. The function does not notice when the addresses change a moment
 * later.
 */
export async function isInside(url: string, resolve: Lookup = resolveAll): Promise<boolean> {
  const addresses = await resolve(new URL(url).hostname);
  return addresses.length > 0 && addresses.every(isPrivate);
}

function isPrivate({ address }: { readonly address: string }): boolean {
  return addressUse(address) !== 'public';
}
