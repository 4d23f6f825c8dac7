import type { Reason } from '@guard/config/contract/reasons';
import { NO_REASONS, type Signal } from './signal.ts';

const CROWDSEC_LISTED: readonly Reason[] = ['crowdsec_listed'];

/** Finds an address that CrowdSec lists. People share addresses, so the finding asks and never rejects. */
export const crowdsecSignal: Signal = (facts) => (facts.isListed() ? CROWDSEC_LISTED : NO_REASONS);
