import type { Reason } from '@guard/config/contract/reasons';
import { NO_REASONS, type Signal } from './signal.ts';

const CROWDSEC_LISTED: readonly Reason[] = ['crowdsec_listed'];

/**
 * Finds a visitor whose address CrowdSec lists. By default the finding leads to a challenge and never to a block,
 * because people share addresses.
 */
export const crowdsecSignal: Signal = (facts) => (facts.isListed() ? CROWDSEC_LISTED : NO_REASONS);
