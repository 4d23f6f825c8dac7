/** Groups of words that readers use for the same thing. The guide uses only some of them. */
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
    const groupWords = GROUPS.filter((group) => group.some((member) => member === word)).flat();
    return [word, [...new Set(groupWords)].filter((groupWord) => groupWord !== word)];
  }),
);

/** Returns the synonyms of a word in lower case. */
export function synonymsOf(word: string): readonly string[] {
  return SYNONYMS.get(word) ?? [];
}
