import { createHash } from 'node:crypto';
import { settingsText } from '@guard/config/settings/derived/settings-text';
import type { Organisation } from '@guard/config/settings/schema';

/** The challenge settings of one organisation. They are written into each ticket. */
export interface ChallengeTerms {
  /**
   * Fingerprint of the current rules. A ticket from other rules gives no session: the page reloads, and the current
   * rules decide whether a challenge is still needed.
   */
  readonly ruleSet: string;
  /** Bits of work for each challenge. 0 means none. */
  readonly work: number;
}

/** The terms of one organisation. Equal settings give equal terms on every instance. */
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
