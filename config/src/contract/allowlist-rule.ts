/** The rule name of the crawler allowlist in events and answers. It runs after all rules of guard.yaml. */
export const ALLOWLIST_RULE = 'crawler allowlist';
