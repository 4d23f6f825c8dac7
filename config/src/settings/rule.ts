import { z } from 'zod';
import { CATEGORIES } from '../contract/reasons.ts';
import { StatusCode } from '../contract/validate-response.ts';
import { isIpOrCidr } from '../net/cidr.ts';
import { Duration, oneOrMany } from './values.ts';

/** A glob (`*` within a segment, `**` across segments) or a linear-time regular expression. */
export const Pattern = z.union([
  z.string().min(1).max(1024),
  z.strictObject({ regex: z.string().min(1).max(1024) }),
]);
export type Pattern = Readonly<z.infer<typeof Pattern>>;

const IpOrCidr = z.string().refine(isIpOrCidr, 'expected an IP address or a CIDR range');

const CrawlerMatch = z.strictObject({
  identified: z.boolean().optional(),
  verified: z.boolean().optional(),
  allowlisted: z.boolean().optional(),
  name: oneOrMany(z.string()).optional(),
  category: oneOrMany(z.string()).optional(),
  rsl_category: oneOrMany(z.string()).optional(),
});

const Conditions = z.strictObject({
  host: oneOrMany(z.string().min(1)).optional(),
  path: oneOrMany(Pattern).optional(),
  method: oneOrMany(z.string().min(1)).optional(),
  ip: oneOrMany(IpOrCidr).optional(),
  country: oneOrMany(z.string().length(2)).optional(),
  asn: oneOrMany(z.int().positive()).optional(),
  header: z.record(z.string().min(1), Pattern).optional(),
  user_agent: oneOrMany(Pattern).optional(),
  crawler: CrawlerMatch.optional(),
  category: oneOrMany(z.enum(CATEGORIES)).optional(),
  session: z.literal('verified').optional(),
});

/** All given conditions must hold; `any`, `all` and `not` hold further matches. */
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

/** What a rate limit counts by: `ip`, `session`, `header:<name>`. */
export const RateKey = z
  .string()
  .regex(
    /^(ip|session|header:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/,
    'expected ip, session or header:<name>',
  );

export const RateLimit = z.strictObject({
  requests: z.int().positive().max(1_000_000),
  per: Duration,
  by: oneOrMany(RateKey).default(['ip']),
});
export type RateLimit = Readonly<z.infer<typeof RateLimit>>;

/**
 * A rule: a match and any of five directives. For each directive the first matching rule that sets
 * it decides (validator/src/rules/direct.ts).
 */
export const Rule = z.strictObject({
  name: z.string().min(1).max(100),
  match: Match,
  verdict: z.enum(['allow', 'block']).optional(),
  detect: z.boolean().optional(),
  rate_limit: RateLimit.optional(),
  monitor: z.boolean().optional(),
  challenge: z.enum(['auto', 'always', 'never']).optional(),
  status: StatusCode.optional().describe('Status of the block this rule leads to.'),
  block_page: z.string().optional(),
});
export type Rule = z.infer<typeof Rule>;
