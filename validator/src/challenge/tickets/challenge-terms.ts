import { createHash } from 'node:crypto';
import { settingsText } from '@guard/config/settings/derived/settings-text';
import type { Organisation } from '@guard/config/settings/schema';
import type { Sliced } from '@guard/config/time/slices';

/** The challenge settings of one organisation, which each ticket contains. */
export interface ChallengeTerms {
  /**
   * Fingerprint of the current rules. A ticket with another fingerprint gives no session: the page reloads, and the
   * current rules decide whether a challenge is still needed.
   */
  readonly ruleSet: string;
  /** Bits of work for each challenge. 0 means none. */
  readonly work: number;
}

type TermSettings = Pick<Organisation, 'rules' | 'presets' | 'webhook_paths' | 'challenge'>;

/**
 * The terms of one organisation. Equal settings give equal terms on every instance. The generator pauses after each
 * rule.
 */
export function* challengeTerms(settings: TermSettings): Sliced<ChallengeTerms> {
  const { rules, presets, webhook_paths, challenge } = settings;
  const digest = createHash('sha256').update(settingsText([presets, webhook_paths, challenge]));
  for (const rule of rules) {
    digest.update(settingsText(rule));
    yield;
  }
  return { ruleSet: digest.digest('base64url').slice(0, 16), work: challenge.work };
}
