import { addressUse } from '@guard/config/net/special-address';
import { lookup } from 'node:dns/promises';

type Lookup = (name: string) => Promise<readonly { readonly address: string }[]>;

/**
 * Why the host of a URL is refused: one of its addresses is not a public internet address. Undefined when the host
 * is allowed. The name may resolve differently a moment later, but a private host has no certificate for it.
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
