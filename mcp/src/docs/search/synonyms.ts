/** Words that mean one thing to people who search. The guide uses some of them only. */
const GROUPS = [
  ['whitelist', 'whitelisting', 'allowlist', 'allow'],
  ['ban', 'block', 'blacklist', 'blacklisting', 'blocklist', 'denylist'],
  ['unblock', 'unban', 'allow'],
  ['docker', 'container', 'podman'],
  ['bot', 'crawler', 'spider'],
  ['ip', 'ips', 'address'],
  ['captcha', 'recaptcha', 'challenge'],
] as const;

const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(GROUPS.flat())].map((word) => {
    const others = GROUPS.filter((group) => group.some((one) => one === word)).flat();
    return [word, [...new Set(others)].filter((one) => one !== word)];
  }),
);

/** What else the reader of a word, in lower case, may find under. */
export function synonymsOf(word: string): readonly string[] {
  return SYNONYMS.get(word) ?? [];
}
