import { FINDINGS } from '@guard/config/contract/reasons';
import { isIpOrCidr } from '@guard/config/net/cidr';
import type { Organisation } from '@guard/config/settings/schema';
import { PRESET_PREFIX } from '@guard/config/settings/sections/preset-names';
import { z } from 'zod';

/** Maximum length of a pattern in guard.yaml. */
const MAX_PATTERN = 1024;
/**
 * Maximum length of a text that fits into a regular expression of a rule in any case (config/src/matching/regex.ts).
 */
const MAX_REGEX_TEXT = 400;
const MAX_HOURS = 168;

/** True if a text has a character with a special meaning in a glob. */
export function hasWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

const Visitors = z
  .strictObject({
    session: z
      .string()
      .regex(/^[0-9a-f]{32}$/i, 'A session is named by the 32 hex digits of the column session.')
      .transform((digest) => digest.toLowerCase())
      .optional(),
    ip: z.string().refine(isIpOrCidr, 'This is no IP address and no CIDR range.').optional(),
    /**
     * The rule matches when the whole header field is equal to this value. `*` and `?` have no special meaning in the
     * value.
     */
    user_agent: z
      .string()
      .max(MAX_PATTERN, `A rule takes a User-Agent of at most ${MAX_PATTERN} characters.`)
      .refine((text) => text.isWellFormed(), 'This User-Agent is no valid text.')
      .refine(
        (text) => !hasWildcard(text) || text.length <= MAX_REGEX_TEXT,
        `A User-Agent with * or ? has at most ${MAX_REGEX_TEXT} characters in a rule.`,
      )
      .optional(),
    /** The path is a glob. */
    path: z
      .string()
      .max(MAX_PATTERN, `A rule takes a path of at most ${MAX_PATTERN} characters.`)
      .refine((text) => text.startsWith('/'), 'A path begins with /.')
      .refine((text) => text.isWellFormed(), 'This path is no valid text.')
      .optional(),
  })
  .refine(
    (match) => Object.values(match).some((value) => value !== undefined),
    'Say whom to let in: a session, an address, a User-Agent or a path.',
  );

const ReplayChange = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('allow'), match: Visitors }),
    z.strictObject({
      kind: z.literal('reason'),
      reason: z.enum(FINDINGS, { error: ({ input }) => `There is no reason ${quote(input)}.` }),
      strength: z.enum(['off', 'note', 'weak'], 'A strength to try is off, note or weak.'),
    }),
    z.strictObject({ kind: z.literal('without_rule'), rule: z.string().min(1) }),
  ],
  'A change is of the kind allow, reason or without_rule.',
);

/** One change of an organisation's settings. */
export type ReplayChange = z.infer<typeof ReplayChange>;

const Hours = z
  .int(`The hours are a whole number from 1 to ${MAX_HOURS}.`)
  .min(1, `The hours are at least 1.`)
  .max(MAX_HOURS, `The hours are at most ${MAX_HOURS}.`)
  .default(24);

type ReadChange =
  | { readonly kind: 'read'; readonly change: ReplayChange; readonly hours: number }
  /** `message` is a complete sentence. */
  | { readonly kind: 'refused'; readonly message: string };

/** Parses a change from a page, and checks whether it applies to this organisation. */
export function readChange(
  change: unknown,
  hours: unknown,
  organisation: Pick<Organisation, 'id' | 'rules'>,
): ReadChange {
  const result = z.object({ change: ReplayChange, hours: Hours }).safeParse({ change, hours });
  if (!result.success)
    return refuse(result.error.issues[0]?.message ?? 'The change is missing or has another form.');
  const { data } = result;
  if (data.change.kind === 'without_rule') {
    const { rule } = data.change;
    if (rule.startsWith(PRESET_PREFIX)) {
      return refuse(`The rule ${quote(rule)} is one of a preset: remove the preset instead.`);
    }
    if (!organisation.rules.some(({ name }) => name === rule)) {
      return refuse(`Organisation ${organisation.id} has no rule ${quote(rule)}.`);
    }
  }
  return { kind: 'read', ...data };
}

function refuse(message: string): ReadChange {
  return { kind: 'refused', message };
}

/** Quotes a value of the caller. A long value is shortened. */
function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 100));
}
