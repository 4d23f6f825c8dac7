import type { Session } from '@guard/config/contract/ports';
import { hashUserAgent } from '@guard/validator';
import { CHROME_UA } from './visitors.ts';

/** A session that passed its challenge, in the form in which the collector keeps it. `changes` replaces fields. */
export function verifiedSession(changes: Partial<Session> = {}): Session {
  return {
    organisation: 'acme',
    state: 'verified',
    reasons: [],
    userAgentHash: hashUserAgent(CHROME_UA),
    network: '84.115.20.0/24',
    client: '',
    judgedAt: 0,
    ...changes,
  };
}
