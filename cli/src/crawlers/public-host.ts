import { addressUse } from '@guard/config/net/special-address';
import { lookup } from 'node:dns/promises';

type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/**
 * Why the host of a URL is not asked: one of its addresses is not of the internet. Undefined for one that may
 * be. The name may lead elsewhere a moment later; what would be asked then has no certificate for the name.
 */
export async function refusalOfHost(
  url: string,
  resolve: Lookup = (name) => lookup(name, { all: true }),
): Promise<string | undefined> {
  const { hostname } = new URL(url);
  const found = await resolve(hostname);
  const inside = found.find(({ address }) => addressUse(address) !== 'public');
  return inside && `${hostname} leads to ${inside.address}, which is no address of the internet`;
}
