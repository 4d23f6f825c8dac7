import type { NetworkKind } from '@guard/config/catalogue/networks';
import type { Reason } from '@guard/config/contract/reasons';
import { NO_REASONS, type Signal } from './signal.ts';

const REASON: Readonly<Record<NetworkKind, readonly Reason[]>> = {
  datacenter: ['datacenter_ip'],
  vpn: ['vpn_ip'],
  tor: ['tor_ip'],
};

/**
 * Finds visitors in a datacenter, VPN or Tor. Facts.network is undefined for verified crawlers, because nearly all of
 * them are in datacenters.
 */
export const networkSignal: Signal = ({ network }) =>
  network === undefined ? NO_REASONS : REASON[network];
