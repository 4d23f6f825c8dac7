import { isReason, type Reason } from '@guard/config/contract/reasons';
import type { LostBy } from '../request/facts.ts';
import { NOTHING, type Signal } from './signal.ts';

const NEVER_CLEARED: readonly Reason[] = ['challenge_never_cleared'];
const MOVED: readonly Reason[] = ['session_moved'];
const LOST: Readonly<Record<LostBy, readonly Reason[]>> = {
  session_of_another: ['session_of_another'],
  session_shared: ['session_shared'],
};

/**
 * What the challenge says of this session: a rejected one carries its reasons until it expires, an
 * unanswered one is a weak sign (a person may have closed the page), and a passed one must not have been
 * carried from a person's network to one of machines.
 */
export const sessionSignal: Signal = (facts) => {
  const { session, network } = facts;
  switch (session.state) {
    case 'rejected':
      // A store shared with another version may hold identifiers that this one does not know.
      return session.session.reasons.filter(isReason);
    case 'issued':
      if (session.lost !== undefined) return LOST[session.lost];
      return session.challenge === 'uncleared' ? NEVER_CLEARED : NOTHING;
    case 'verified':
      return network !== undefined && facts.sessionNetwork() !== network ? MOVED : NOTHING;
    case 'none':
      return NOTHING;
  }
};
