/** Contract 2.2: every category that a block reason can have, with its meaning. */
export const CATEGORY_MEANINGS = {
  bot_identity:
    'A bot or scripting client by its own name, or an identified crawler that is not on the allowlist.',
  automated_browser: 'A real browser, driven by an automation tool.',
  header_anomaly: "Headers are missing, contradict each other, or look like a script's.",
  fingerprint_mismatch: 'Something the browser cannot easily change disagrees with the User-Agent.',
  suspicious_network: 'VPN, datacenter, Tor, address reputation, or a rate limit.',
  challenge_failure: 'The challenge was never cleared, was answered wrongly, or cannot be won.',
  crawler_impersonator: "Claims to be a known crawler, from an address that is not its operator's.",
  unknown: 'Not grouped.',
} as const;

// The cast is needed, because the type of Object.keys is string[].
export const CATEGORIES = Object.keys(
  CATEGORY_MEANINGS,
) as readonly (keyof typeof CATEGORY_MEANINGS)[];
