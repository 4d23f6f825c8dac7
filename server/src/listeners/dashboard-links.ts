import type { Settings } from '@guard/config/settings/schema';
import type { SignIns } from '@guard/dashboard';

export interface DashboardLink {
  readonly organisation: string;
  readonly url: string;
}

/** A link that signs in for each organisation; none where the dashboard does not listen. `address` is where it does. */
export function createDashboardLinks(
  signIns: SignIns | undefined,
  { public_urls, organisations }: Settings,
  address: string | undefined,
): DashboardLink[] {
  const url = public_urls.dashboard ?? address;
  // A unix socket has a proxy in front, whose address is not known.
  if (signIns === undefined || url === undefined || url.startsWith('unix:')) return [];
  return organisations.map(({ id }) => {
    const path = `/sign-in?link=${signIns.createLink(id)}`;
    return { organisation: id, url: new URL(path, url).href };
  });
}
