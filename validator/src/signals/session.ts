import { isReason, type Reason } from '@guard/config/contract/reasons';
import type { LostBy } from '../request/facts.ts';
import { NO_REASONS, type Signal } from './signal.ts';

const NEVER_CLEARED: readonly Reason[] = ['challenge_never_cleared'];
const SESSION_MOVED: readonly Reason[] = ['session_moved'];
const LOST: Readonly<Record<LostBy, readonly Reason[]>> = {
  session_of_another: ['session_of_another'],
  session_shared: ['session_shared'],
};

/**
 * Findings about the session. A rejected session keeps the reasons of its challenge until it expires. An unanswered
 * challenge is only a weak sign, because a person can close the page. A verified session in a datacenter, VPN or Tor is
 * a finding, unless it passed in this kind of network.
 */
export const sessionSignal: Signal = (facts) => {
  const { session, network } = facts;
  switch (session.state) {
    case 'rejected':
      // In a shared store, another version of Guard can have written reasons that do not exist in this version.
      return session.session.reasons.filter(isReason);
    case 'issued':
      if (session.lost !== undefined) return LOST[session.lost];
      return session.challenge === 'uncleared' ? NEVER_CLEARED : NO_REASONS;
    case 'verified':
      return network !== undefined && facts.sessionNetwork() !== network
        ? SESSION_MOVED
        : NO_REASONS;
    case 'none':
      return NO_REASONS;
  }
};
