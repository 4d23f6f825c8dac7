import { z } from 'zod';
import { readJson } from '../../contract/json.ts';
import { readRange } from '../../net/address.ts';
import { parseIp } from '../../net/cidr.ts';
import { formatIpv4 } from '../../net/format-address.ts';
import { IpOrCidr, SessionDigest } from '../sections/rule.ts';
import { Identifier } from '../values/values.ts';

/** JavaScript cannot write a later time than this as a date. */
const Moment = z.int().nonnegative().max(8_640_000_000_000_000);

/**
 * A decision that a person makes for some time with `guard block` or `guard allow`. It is not in guard.yaml, but in
 * Redis when instances share a store, or else in a file.
 */
export const TemporaryDecision = z.strictObject({
  id: z.string().regex(/^t[0-9a-z]{6}$/),
  organisation: Identifier,
  verdict: z.enum(['allow', 'block']),
  target: z.discriminatedUnion('kind', [
    /** One address, or a network as CIDR, in the spelling of `canonicalNetwork`. */
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
  /** The account and the machine of the person who decided. */
  by: z.string().regex(/^\P{Cc}{1,200}$/u),
  madeAt: Moment,
  until: Moment,
});
export type TemporaryDecision = z.infer<typeof TemporaryDecision>;
export type DecisionTarget = TemporaryDecision['target'];

/**
 * The largest number of decisions in force at one time, in all organisations together. Above this number `guard block`
 * and `guard allow` refuse a new one.
 */
export const MAX_DECISIONS = 2_000;
/** The longest time of a decision. A decision for a longer time has to be a rule in guard.yaml. */
export const MAX_DECISION_MS = 90 * 86_400_000;
/** Longest text of all decisions, in UTF-16 code units. It is more than the largest number of decisions needs. */
export const MAX_DECISIONS_LENGTH = 4 * 1024 * 1024;

const DecisionsText = z.strictObject({
  version: z.literal(1),
  decisions: z.array(TemporaryDecision).max(MAX_DECISIONS),
});

/** Parses a text that `writeDecisions` wrote. An empty text has no decisions. Undefined for any other text. */
export function readDecisions(text: string): readonly TemporaryDecision[] | undefined {
  if (text.trim() === '') return [];
  if (text.length > MAX_DECISIONS_LENGTH) return undefined;
  return readJson(DecisionsText, text)?.decisions;
}

export function writeDecisions(decisions: readonly TemporaryDecision[]): string {
  const lines = decisions.map((decision) => `\n  ${JSON.stringify(decision)}`);
  return `{"version": 1, "decisions": [${lines.join(',')}\n]}\n`;
}

/**
 * The shortest allowed prefix length of a network, by IP version. A typing mistake, or a program in Redis, must not
 * block much of the internet.
 */
const WIDEST_PREFIX = { 4: 8, 6: 19 } as const;

/** The shortest prefix length that a decision may have. Undefined when the prefix of `network` is long enough. */
export function shortestAllowedPrefix(network: string): number | undefined {
  const range = readRange(network);
  if (range === undefined || range.length >= WIDEST_PREFIX[range.family]) return undefined;
  return WIDEST_PREFIX[range.family];
}

/** The target in the words of the command line. */
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
 * The canonical text of an address (as `parseIp` spells it), or of a network (with its first address). Accepts the
 * texts that `isIpOrCidr` accepts.
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
