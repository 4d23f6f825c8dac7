import { addressUse } from '@guard/config/net/special-address';
import { lookup } from 'node:dns/promises';

type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/**
 * Why the host of a URL is not asked: one of its addresses is not of the internet. Undefined for a host that may
 * be asked. The name may lead elsewhere a moment later, but a host there has no certificate for the name.
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
