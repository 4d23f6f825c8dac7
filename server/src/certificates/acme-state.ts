import { hash } from 'node:crypto';
import type { AcmeSettings } from '@guard/config/settings/sections/acme';
import type { IssuedCertificate } from '@guard/config/settings/sections/tls';
import { z } from 'zod';
import { openText, sealText } from './sealed-text.ts';

/** What all instances know of the certificates of an authority: one text, sealed, of a few hundred KiB at most. */

/** What the authority looks for while it checks that a host is here. */
const Proof = z.discriminatedUnion('kind', [
  /** RFC 8555 section 8.3. */
  z.object({ kind: z.literal('http-01'), token: z.string(), answer: z.string() }),
  /** RFC 8737. */
  z.object({ kind: z.literal('tls-alpn-01'), host: z.string(), cert: z.string(), key: z.string() }),
]);
export type Proof = Readonly<z.infer<typeof Proof>>;

const Failure = z.object({
  host: z.string(),
  /** The authority refused, or it could not be reached. */
  kind: z.enum(['refused', 'away']),
  /** In a row, of this kind. */
  attempts: z.number(),
  reason: z.string(),
  /** Milliseconds since the epoch. */
  retryAt: z.number(),
});
type Failure = Readonly<z.infer<typeof Failure>>;

const AcmeState = z.object({
  /** The account belongs to one authority. Its key is PEM. */
  account: z.object({ directory: z.string(), key: z.string() }).optional(),
  /** `cert` and `key` are PEM. */
  certificates: z.array(
    z.object({ host: z.string(), directory: z.string(), cert: z.string(), key: z.string() }),
  ),
  /** The order under way; it counts as given up at `until`, in milliseconds since the epoch. */
  order: z.object({ by: z.string(), until: z.number(), proof: Proof.optional() }).optional(),
  failures: z.array(Failure),
});
export type AcmeState = Readonly<z.infer<typeof AcmeState>>;

export const NO_STATE: AcmeState = { certificates: [], failures: [] };

/** Undefined for a text that none of these secrets sealed. */
export function openState(secrets: readonly string[], text: string): AcmeState | undefined {
  if (text === '') return NO_STATE;
  const opened = openText(secrets, text);
  if (opened === undefined) return undefined;
  try {
    return AcmeState.parse(JSON.parse(opened));
  } catch {
    return undefined;
  }
}

export function sealState(secrets: readonly string[], state: AcmeState): string {
  return sealText(secrets, JSON.stringify(state));
}

/** From when on a certificate is renewed: the last third of its life, begun a little later at one than at another. */
export function renewalAt({ startsAt, expiresAt, cert }: IssuedCertificate): number {
  const third = (expiresAt - startsAt) / 3;
  const share = parseInt(hash('sha256', cert, 'hex').slice(0, 8), 16) / 2 ** 32;
  return expiresAt - third * (1 - 0.2 * share);
}

/** The first host whose certificate is to be ordered now, in the order of `hosts`. */
export function dueHost(
  state: AcmeState,
  hosts: readonly string[],
  { directory }: Pick<AcmeSettings, 'directory'>,
  held: ReadonlyMap<string, IssuedCertificate>,
  now: number,
): string | undefined {
  if (state.order !== undefined && state.order.until > now) return undefined;
  return hosts.find((host) => {
    const certificate = held.get(host);
    const from = state.certificates.find((one) => one.host === host)?.directory;
    const isGood = certificate !== undefined && from === directory && renewalAt(certificate) > now;
    return !isGood && (failureOf(state, host)?.retryAt ?? 0) <= now;
  });
}

export function failureOf(state: AcmeState, host: string): Failure | undefined {
  return state.failures.find((failure) => failure.host === host);
}

/** Let's Encrypt takes five failed checks of a host in an hour. An authority that is away is asked sooner. */
const WAIT_MS = {
  refused: { first: 2 * 60_000, longest: 12 * 3_600_000 },
  away: { first: 5_000, longest: 10 * 60_000 },
} as const;

/** Notes that an order failed: the wait doubles from attempt to attempt. */
export function withFailure(
  state: AcmeState,
  host: string,
  { kind, reason }: Pick<Failure, 'kind' | 'reason'>,
  now: number,
): AcmeState {
  const before = failureOf(state, host);
  const attempts = before?.kind === kind ? before.attempts + 1 : 1;
  const { first, longest } = WAIT_MS[kind];
  const retryAt = now + Math.min(first * 2 ** (attempts - 1), longest);
  const failure = { host, kind, attempts, reason, retryAt };
  const others = state.failures.filter((one) => one.host !== host);
  return { ...state, order: undefined, failures: [...others, failure] };
}

/** Keeps a certificate in place of the host's last one. Those of hosts that are not wanted any more go. */
export function withCertificate(
  state: AcmeState,
  certificate: AcmeState['certificates'][number],
  hosts: readonly string[],
): AcmeState {
  const stays = ({ host }: { readonly host: string }) =>
    host !== certificate.host && hosts.includes(host);
  return {
    ...state,
    order: undefined,
    certificates: [...state.certificates.filter(stays), certificate],
    failures: state.failures.filter(stays),
  };
}
