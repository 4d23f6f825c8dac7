import { z } from 'zod';
import { currentCode, isCountryCode } from '../../catalogue/country-codes.ts';
import {
  CRAWLER_CATEGORIES,
  CRAWLER_RSL_CATEGORIES,
  crawlerNames,
  isCrawlerName,
} from '../../catalogue/known-crawlers.ts';
import { CATEGORIES } from '../../contract/categories.ts';
import { FINDINGS } from '../../contract/reasons.ts';
import { temporaryDecisionOf } from '../../contract/temporary-rule.ts';
import { StatusCode } from '../../contract/validate-response.ts';
import { isIpOrCidr } from '../../net/cidr.ts';
import { canMatchPaths } from '../../matching/glob.ts';
import { compileRegex } from '../../matching/regex.ts';
import { entriesFrom } from '../lists/list-setting.ts';
import { EXPECTED_JA4, isJa4 } from '../lists/list-text.ts';
import { OwnPage } from './pages.ts';
import { PRESET_PREFIX } from './preset-names.ts';
import { refuse } from '../problems/refuse.ts';
import { Duration, HeaderName, HostPattern, oneOrMany } from '../values/values.ts';

const MAX_PATTERN_LENGTH = 1024;

function checkCompiles(source: string, context: z.RefinementCtx): void {
  const regex = compileRegex(source);
  if (regex.kind === 'compiled') return;
  const message = `expected a regular expression in RE2 syntax (no look-around, no back-references): ${regex.reason}`;
  context.addIssue({ code: 'custom', message });
}

const Glob = z.string().min(1).max(MAX_PATTERN_LENGTH);
const Regex = z.string().min(1).max(MAX_PATTERN_LENGTH).superRefine(checkCompiles);

/** A glob (`*` within a segment, `**` across segments) or a linear-time regular expression. */
export const Pattern = z.union([Glob, z.strictObject({ regex: Regex })]);

/**
 * Finds regular expressions that begin with `^` and a letter. They match no path, because each path begins with a
 * slash. The pattern finds only cases that are certain.
 */
const NO_SLASH_IN_FRONT = /^\^[\w-]+(?![\w?*{-])[^|]*$/;

/** A pattern over paths. It must be able to match a path. */
const PathPattern = z.union([
  Glob.superRefine((glob, context) => {
    if (glob === '' || canMatchPaths(glob)) return;
    refuse(context, 'expected a pattern that begins with / or **, as every path begins with /', [
      `/${glob}`,
    ]);
  }),
  z.strictObject({
    regex: Regex.superRefine((regex, context) => {
      if (!NO_SLASH_IN_FRONT.test(regex)) return;
      refuse(context, 'expected an expression that can match: every path begins with /');
    }),
  }),
]);

export const IpOrCidr = z.string().refine(isIpOrCidr, 'expected an IP address or a CIDR range');

const CountryCode = z
  .string()
  .regex(/^[a-z]{2}$/i, 'expected a country of two letters (ISO 3166-1), such as DE')
  .transform((written, context) => {
    const country = written.toUpperCase();
    if (isCountryCode(country)) return country;
    const current = currentCode(country);
    const remedy = isCountryCode(current) ? `; write ${current}` : ', such as DE';
    return refuse(context, `expected a country code of ISO 3166-1${remedy}`);
  });

/** A method: a token (RFC 9110 section 9.1). */
const Method = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/, 'expected an HTTP method, such as POST')
  .transform((method) => method.toUpperCase());

const Ja4 = z.string().refine(isJa4, EXPECTED_JA4);

/** A name in a query, Case does not matter, so the name is converted to lower case. */
const ParameterName = z
  .string()
  .min(1)
  .max(128)
  .transform((name) => name.toLowerCase());

const EXPECTED_SESSION = 'expected verified, or the column session of an event: 32 hex digits';

/** A session in the form that events use (contract/session-digest.ts). */
export const SessionDigest = z
  .string()
  .regex(/^[0-9a-f]{32}$/i, EXPECTED_SESSION)
  .transform((digest) => digest.toLowerCase());

/** `verified`, or a list of digests. */
const SessionMatch = z.union([
  z
    .string()
    .regex(/^(verified|[0-9a-fA-F]{32})$/, EXPECTED_SESSION)
    .transform((text) => (text.length === 32 ? [text.toLowerCase()] : ('verified' as const))),
  z.array(SessionDigest).min(1),
]);

function patternsBy<T extends z.ZodType<string>>(name: T, what: string) {
  return z
    .record(name, Pattern)
    .refine(
      (patterns) => Object.keys(patterns).length > 0,
      `expected the name of a ${what} and a pattern`,
    );
}

/** The name of a crawler of the catalogue, in upper or lower case. */
export const CrawlerName = z
  .string()
  .min(1)
  .superRefine((name, context) => {
    if (name === '' || isCrawlerName(name)) return;
    const message = 'expected a crawler of the catalogue, which `guard crawlers list` shows';
    refuse(context, message, crawlerNames());
  });
export const CrawlerCategory = z.enum(CRAWLER_CATEGORIES);
export const CrawlerRslCategory = z.enum(CRAWLER_RSL_CATEGORIES);

const CrawlerMatch = z.strictObject({
  identified: z.boolean().optional(),
  verified: z.boolean().optional(),
  allowlisted: z.boolean().optional(),
  name: oneOrMany(CrawlerName).optional(),
  category: oneOrMany(CrawlerCategory).optional(),
  rsl_category: oneOrMany(CrawlerRslCategory).optional(),
});

const Conditions = z.strictObject({
  host: oneOrMany(HostPattern).optional(),
  path: oneOrMany(PathPattern).optional(),
  method: oneOrMany(Method).optional(),
  ip: entriesFrom('ip', IpOrCidr).optional(),
  country: oneOrMany(CountryCode).optional(),
  asn: entriesFrom('asn', z.int().positive()).optional(),
  header: patternsBy(HeaderName, 'header').optional(),
  query: patternsBy(ParameterName, 'parameter').optional(),
  user_agent: entriesFrom('user_agent', Pattern).optional(),
  /** The JA4 fingerprint of the visitor's TLS handshake. It is known only when Guard itself decrypts TLS. */
  ja4: entriesFrom('ja4', Ja4).optional(),
  crawler: CrawlerMatch.optional(),
  /** Names of signed agents, or the origins of their directories. `*` means any signed agent. */
  agent: oneOrMany(z.string().min(1).max(255)).optional(),
  category: oneOrMany(z.enum(CATEGORIES)).optional(),
  reason: oneOrMany(z.enum(FINDINGS)).optional(),
  session: SessionMatch.optional(),
});

/** All given conditions must be true. `any`, `all` and `not` contain further matches. */
export interface Match extends z.infer<typeof Conditions> {
  any?: Match[] | undefined;
  all?: Match[] | undefined;
  not?: Match | undefined;
}
export const Match: z.ZodType<Match> = z.lazy(() =>
  Conditions.extend({
    any: z.array(Match).min(1).optional(),
    all: z.array(Match).min(1).optional(),
    not: Match.optional(),
  }),
);

/** What a rate limit counts by: `ip`, `session`, `header:<name>`, or `all` for one counter of all requests. */
const RateKey = z
  .string()
  .regex(
    /^(ip|session|all|header:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/,
    'expected ip, session, all or header:<name>',
  );

/** The number is limited, because every request takes from one counter for each key. */
const MAX_RATE_KEYS = 8;

export const RateLimit = z.strictObject({
  requests: z.int().positive().max(1_000_000),
  per: Duration,
  by: oneOrMany(RateKey, MAX_RATE_KEYS).default(['ip']),
});
export type RateLimit = Readonly<z.infer<typeof RateLimit>>;

/**
 * A rule: a match and any of five directives. For each directive the first matching rule that sets
 * it decides (validator/src/rules/directives.ts).
 */
export const Rule = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .refine(
      (name) => !name.startsWith(PRESET_PREFIX),
      `expected a name that does not begin with ${PRESET_PREFIX}, as the rules of presets do`,
    )
    .refine(
      (name) => temporaryDecisionOf(name) === undefined,
      'expected another name: events name a guard block or guard allow in this way',
    ),
  match: Match,
  verdict: z.enum(['allow', 'block']).optional(),
  detect: z.boolean().optional(),
  rate_limit: RateLimit.optional(),
  monitor: z.boolean().optional(),
  challenge: z.enum(['auto', 'always', 'never']).optional(),
  status: StatusCode.optional().describe('Status of the block this rule leads to.'),
  block_page: OwnPage.optional(),
  limit_page: OwnPage.optional(),
});
export type Rule = z.infer<typeof Rule>;

export function allMatchesOf(match: Match): readonly Match[] {
  const { any = [], all = [], not } = match;
  return [match, ...[...any, ...all, ...(not ? [not] : [])].flatMap(allMatchesOf)];
}
