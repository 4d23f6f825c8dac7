import type { Settings } from '@guard/config/settings/schema';
import type { SignIns } from '@guard/dashboard';

export interface DashboardLink {
  readonly organisation: string;
  readonly url: string;
}

/** Creates a sign-in link for each organisation. There are none when no dashboard listens. */
export function createDashboardLinks(
  signIns: SignIns | undefined,
  { public_urls, organisations }: Settings,
  address: string | undefined,
): DashboardLink[] {
  const url = public_urls.dashboard ?? address;
  // The proxy in front of a unix socket has an unknown address.
  if (signIns === undefined || url === undefined || url.startsWith('unix:')) return [];
  return organisations.map(({ id }) => {
    const path = `/sign-in?link=${signIns.createLink(id)}`;
    return { organisation: id, url: new URL(path, url).href };
  });
}
