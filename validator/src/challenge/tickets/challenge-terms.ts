import { createHash } from 'node:crypto';
import { settingsText } from '@guard/config/settings/derived/settings-text';
import type { Organisation } from '@guard/config/settings/schema';

/** What one organisation's settings say about a challenge; written into each ticket. */
export interface ChallengeTerms {
  /**
   * Fingerprint of the rules in use. A ticket of other rules gives no session: the page reloads, and
   * the rules of now decide whether there is anything left to prove.
   */
  readonly ruleSet: string;
  /** Bits of work that each challenge costs; 0 asks for none. */
  readonly work: number;
}

/** The terms of one organisation: same settings, same terms, on every instance. */
export function challengeTerms({
  rules,
  presets,
  webhook_paths,
  challenge,
}: Pick<Organisation, 'rules' | 'presets' | 'webhook_paths' | 'challenge'>): ChallengeTerms {
  const settings = settingsText([rules, presets, webhook_paths, challenge]);
  const ruleSet = createHash('sha256').update(settings).digest('base64url').slice(0, 16);
  return { ruleSet, work: challenge.work };
}
