import type { Reason } from '@guard/config/contract/reasons';
import { NOTHING, type Signal } from './signal.ts';

const LISTED: readonly Reason[] = ['crowdsec_listed'];

/** Finds an address that CrowdSec lists. People share addresses, so the finding asks and never rejects. */
export const crowdsecSignal: Signal = (facts) => (facts.isListed() ? LISTED : NOTHING);
