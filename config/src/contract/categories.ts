/** Contract 2.2: every category that a block reason can have. */
export const CATEGORIES = [
  'bot_identity',
  'automated_browser',
  'header_anomaly',
  'fingerprint_mismatch',
  'suspicious_network',
  'challenge_failure',
  'crawler_impersonator',
  'unknown',
] as const;
