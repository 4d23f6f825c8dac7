import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { TokenMatcher } from '../../config/src/catalogue/token-matcher.ts';
import { LEFT_OUT } from './left-out.ts';
import { operatorOf } from './operator-of.ts';
import { newSeed } from './seeds.ts';
import type { Seed } from './seeds.ts';
import { categoryOfTags } from './user-agent-category.ts';

/** The User-Agent list. The licence does not allow copies of the descriptions, so they are not read. */
const UserAgentList = z.array(
  z.object({
    /** A regular expression. Usually it is a plain text. */
    pattern: z.string(),
    url: z.string().default(''),
    instances: z.array(z.string()),
    tags: z.array(z.string()).default([]),
  }),
);
type ListedAgent = z.infer<typeof UserAgentList>[number];

/** Reads the npm package `crawler-user-agents` in the version of package-lock.json. */
export function readUserAgentList(): unknown {
  return createRequire(import.meta.url)('crawler-user-agents') as unknown;
}

export const USER_AGENT_LICENCE = join(
  dirname(createRequire(import.meta.url).resolve('crawler-user-agents')),
  'LICENSE',
);

/** Returns whether a User-Agent is already known as a crawler or as other software. */
export type IsKnown = (userAgent: string) => boolean;

/**
 * Returns seeds for the agents of the User-Agent list that are not known yet. The token of a seed is the match of its
 * pattern in the samples, extended to whole words. An entry is skipped when all of its samples are known.
 */
export function seedsOfUserAgentList(
  list: unknown,
  knownSeeds: readonly Seed[],
  isSoftware: IsKnown,
): Seed[] {
  const identify = new TokenMatcher(knownSeeds.flatMap(tokensOf));
  const isKnown: IsKnown = (userAgent) =>
    identify.find(userAgent) !== undefined || isSoftware(userAgent);
  const names = new Set(knownSeeds.map(({ name }) => keyOf(name)));
  const tokens = new Set<string>();
  const seeds = new Map<string, Seed>();
  for (const agent of UserAgentList.parse(list)) {
    const fresh = tokensOfAgent(agent, isKnown).filter(
      (token) => !tokens.has(token.toLowerCase()) && !isKnown(sampleOf(token)),
    );
    const name = nameOf(fresh[0] ?? '');
    const key = keyOf(name);
    const category = categoryOfTags(agent.tags, `${name} ${agent.url}`);
    if (name.length < 2 || LEFT_OUT.has(name.toLowerCase()) || category === undefined) continue;
    if (names.has(key)) throw new Error(`crawlers.txt: ${name} needs ${fresh.join(', ')}`);
    for (const token of fresh) tokens.add(token.toLowerCase());
    const seed = newSeed(name, operatorOf(agent.url, knownSeeds), category, fresh);
    seeds.set(key, joinSeeds(seeds.get(key), seed));
  }
  return [...seeds.values()];
}

/** Names that differ only in case or punctuation are equal. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** The list has several entries for some agents. */
function joinSeeds(first: Seed | undefined, second: Seed): Seed {
  if (first === undefined) return second;
  return {
    ...first,
    contains: [...first.contains, ...second.contains],
    startsWith: [...first.startsWith, ...second.startsWith],
  };
}

function tokensOf(seed: Seed) {
  return [
    ...seed.contains.map((text) => ({ text, atStart: false, value: seed })),
    ...seed.startsWith.map((text) => ({ text, atStart: true, value: seed })),
  ];
}

/** Words that do not occur in names of products for people. */
const BOT_WORDS =
  /bot|crawl|spider|scan|monitor|fetch|preview|archiv|uptime|check|search|seo|index|feed|agent|audit|\.[a-z]{2,}/i;

const PRODUCT = 'compatible; ';

/** The tokens of an agent, without repetitions in another case. `^` marks tokens for the beginning only. */
function tokensOfAgent({ pattern, instances }: ListedAgent, isKnown: IsKnown): string[] {
  const regex = new RegExp(pattern);
  const tokens = new Map<string, string>();
  const samples = instances.filter((userAgent) => !isKnown(userAgent));
  for (const userAgent of instances.length === 0 ? [literalOf(pattern)] : samples) {
    const match = regex.exec(userAgent);
    if (match === null) continue;
    const token = wholeWords(userAgent, match.index, match.index + match[0].length);
    // An everyday word is searched only where the User-Agents of browsers have no such word: at the beginning, or after
    // "compatible;".
    const isPlain = !BOT_WORDS.test(token);
    const atStart = userAgent.startsWith(token) && isPlain;
    const isProduct = isPlain && userAgent.includes(`(${PRODUCT}${token}`);
    const shortToken = isPlain && !atStart ? token : token.replace(/[\s/(]+$/, '');
    const text = isProduct ? PRODUCT + shortToken : shortToken;
    const key = text.toLowerCase();
    if (!atStart) tokens.set(key, text);
    else if (!tokens.has(key)) tokens.set(key, `^${text}`);
  }
  return [...tokens.values()];
}

/** Returns a User-Agent that has the token at a place where the token is searched. */
function sampleOf(token: string): string {
  return token.startsWith('^') ? token.slice(1) : `Mozilla/5.0 (${token}`;
}

/** Returns the text of a pattern that has no samples. */
function literalOf(pattern: string): string {
  return pattern.replace(/^\^/, '').replace(/\\(.)/g, '$1').trim();
}

/** Returns a part of a text, extended to whole words, without space or punctuation before it. */
function wholeWords(text: string, matchStart: number, matchEnd: number): string {
  let start = matchStart;
  let end = matchEnd;
  while (start < end && /[^A-Za-z0-9]/.test(text.charAt(start))) start += 1;
  if (start === matchStart) while (/[A-Za-z0-9_-]/.test(text.charAt(start - 1))) start -= 1;
  if (/[A-Za-z0-9_]/.test(text.charAt(end - 1))) {
    while (/[A-Za-z0-9_]/.test(text.charAt(end))) end += 1;
  }
  return text.slice(start, end);
}

/** Returns the name in a token: the text before a version, an address or a remark. */
function nameOf(token: string): string {
  return token
    .replace(/^\^/, '')
    .replace(PRODUCT, '')
    .replace(/(?<=\w)\s*[;(/].*$|_\d+$|[^A-Za-z0-9.!]+$/g, '')
    .trim();
}
