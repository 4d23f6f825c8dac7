import type { Settings } from '@guard/config/settings/schema';
import type { SignIns } from '@guard/dashboard';

export interface DashboardLink {
  readonly organisation: string;
  readonly url: string;
}

/** Creates a sign-in link for each organisation. There are no links when no dashboard listens. */
export function createDashboardLinks(
  signIns: SignIns | undefined,
  { public_urls, organisations }: Settings,
  address: string | undefined,
): DashboardLink[] {
  const url = public_urls.dashboard ?? address;
  // Guard does not know the address of the proxy in front of a unix socket.
  if (signIns === undefined || url === undefined || url.startsWith('unix:')) return [];
  return organisations.map(({ id }) => {
    const path = `/sign-in?link=${signIns.createLink(id)}`;
    return { organisation: id, url: new URL(path, url).href };
  });
}
