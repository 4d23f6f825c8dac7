import { z } from 'zod';
import { readJson } from '../../contract/json.ts';
import { readRange } from '../../net/address.ts';
import { parseIp } from '../../net/cidr.ts';
import { formatIpv4 } from '../../net/format-address.ts';
import { IpOrCidr, SessionDigest } from '../sections/rule.ts';
import { Identifier } from '../values/values.ts';

/** A later moment than this one cannot be written as a date. */
const Moment = z.int().nonnegative().max(8_640_000_000_000_000);

/**
 * A decision that a person makes for some time with `guard block` or `guard allow`. It is not in guard.yaml, but in
 * Redis when instances share a store, else in a file.
 */
export const TemporaryDecision = z.strictObject({
  id: z.string().regex(/^t[0-9a-z]{6}$/),
  organisation: Identifier,
  verdict: z.enum(['allow', 'block']),
  target: z.discriminatedUnion('kind', [
    /** One address, or a network as CIDR, as `canonicalNetwork` spells it. */
    z.strictObject({
      kind: z.literal('network'),
      network: IpOrCidr.transform(canonicalNetwork).refine(
        (text) => shortestAllowedPrefix(text) === undefined,
      ),
    }),
    z.strictObject({ kind: z.literal('session'), session: SessionDigest }),
    z.strictObject({ kind: z.literal('asn'), asn: z.int().positive().max(4_294_967_295) }),
  ]),
  /** The text has no control characters, because it is printed on terminals. */
  because: z.string().regex(/^\P{Cc}{1,200}$/u),
  /** The account and machine that decided. */
  by: z.string().regex(/^\P{Cc}{1,200}$/u),
  madeAt: Moment,
  until: Moment,
});
export type TemporaryDecision = z.infer<typeof TemporaryDecision>;
export type DecisionTarget = TemporaryDecision['target'];

/** The most current decisions of all organisations. Above this number `guard block` and `guard allow` refuse. */
export const MAX_DECISIONS = 2_000;
/** The longest time of a decision. A longer one has to be a rule. */
export const MAX_DECISION_MS = 90 * 86_400_000;
/** Longest text of all decisions, in UTF-16 code units. It is more than the largest number of decisions needs. */
export const MAX_DECISIONS_LENGTH = 4 * 1024 * 1024;

const DecisionsText = z.strictObject({
  version: z.literal(1),
  decisions: z.array(TemporaryDecision).max(MAX_DECISIONS),
});

/** Parses a text of `writeDecisions`. An empty text has no decisions. Undefined for any other text. */
export function readDecisions(text: string): readonly TemporaryDecision[] | undefined {
  if (text.trim() === '') return [];
  if (text.length > MAX_DECISIONS_LENGTH) return undefined;
  return readJson(DecisionsText, text)?.decisions;
}

export function writeDecisions(decisions: readonly TemporaryDecision[]): string {
  const lines = decisions.map((decision) => `\n  ${JSON.stringify(decision)}`);
  return `{"version": 1, "decisions": [${lines.join(',')}\n]}\n`;
}

/** The shortest prefixes. A typing mistake, or a program in Redis, must not block much of the internet. */
const WIDEST_PREFIX = { 4: 8, 6: 19 } as const;

/** The shortest prefix length that a decision may have. Undefined when the network's own is long enough. */
export function shortestAllowedPrefix(network: string): number | undefined {
  const range = readRange(network);
  if (range === undefined || range.length >= WIDEST_PREFIX[range.family]) return undefined;
  return WIDEST_PREFIX[range.family];
}

/** In the words of the command line. */
export function targetText(target: DecisionTarget): string {
  switch (target.kind) {
    case 'network':
      return target.network;
    case 'session':
      return target.session;
    case 'asn':
      return `AS${target.asn}`;
  }
}

/**
 * An address as `parseIp` spells it, or a network with its first address. Accepts the texts that `isIpOrCidr`
 * accepts.
 */
export function canonicalNetwork(text: string): string {
  const withoutZone = text.replace(/%[^/]*/, '');
  const range = readRange(withoutZone);
  if (range === undefined) return withoutZone;
  const isV4 = range.family === 4;
  const first = isV4 ? formatIpv4(range.first) : v6Text(range.first);
  return range.length === (isV4 ? 32 : 128) ? first : `${first}/${range.length}`;
}

function v6Text(address: bigint): string {
  const groups = address
    .toString(16)
    .padStart(32, '0')
    .replaceAll(/.{4}(?!$)/g, '$&:');
  return parseIp(groups) ?? groups;
}
