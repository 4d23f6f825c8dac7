import type { Reason } from '@guard/config/contract/reasons';
import { NOTHING, type Signal } from './signal.ts';

const LISTED: readonly Reason[] = ['crowdsec_listed'];

/** What CrowdSec decided about the address. People share addresses, so this asks and does not reject. */
export const crowdsecSignal: Signal = (facts) => (facts.isListed() ? LISTED : NOTHING);
