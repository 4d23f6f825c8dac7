import { hash } from 'node:crypto';
import { readJson } from '@guard/config/contract/json';
import type { AcmeSettings } from '@guard/config/settings/sections/acme';
import type { IssuedCertificate } from '@guard/config/settings/sections/tls';
import { z } from 'zod';
import { openText, sealText } from './sealed-text.ts';

/** The certificates of an authority. All instances share them as one encrypted text of at most a few hundred KiB. */

/** The proof that the authority looks for before it issues a certificate for a host. */
const Proof = z.discriminatedUnion('kind', [
  /** RFC 8555 section 8.3. */
  z.object({ kind: z.literal('http-01'), token: z.string(), answer: z.string() }),
  /** RFC 8737. */
  z.object({ kind: z.literal('tls-alpn-01'), host: z.string(), cert: z.string(), key: z.string() }),
]);
export type Proof = Readonly<z.infer<typeof Proof>>;

const Failure = z.object({
  host: z.string(),
  /** `refused`: the authority refused the order. `away`: the authority could not be reached. */
  kind: z.enum(['refused', 'away']),
  /** The number of failures of this kind in a row. */
  attempts: z.number(),
  reason: z.string(),
  /** The earliest time of the next attempt, in milliseconds since the epoch. */
  retryAt: z.number(),
});
type Failure = Readonly<z.infer<typeof Failure>>;

const AcmeState = z.object({
  /** The account at one authority. Its key is in PEM. */
  account: z.object({ directory: z.string(), key: z.string() }).optional(),
  /** `cert` and `key` are in PEM. */
  certificates: z.array(
    z.object({ host: z.string(), directory: z.string(), cert: z.string(), key: z.string() }),
  ),
  /** The current order. From `until` on (milliseconds since the epoch) it is treated as abandoned. */
  order: z.object({ by: z.string(), until: z.number(), proof: Proof.optional() }).optional(),
  failures: z.array(Failure),
});
export type AcmeState = Readonly<z.infer<typeof AcmeState>>;

export const NO_STATE: AcmeState = { certificates: [], failures: [] };

export function openState(secrets: readonly string[], text: string): AcmeState | undefined {
  if (text === '') return NO_STATE;
  const plainText = openText(secrets, text);
  return plainText === undefined ? undefined : readJson(AcmeState, plainText);
}

export function sealState(secrets: readonly string[], state: AcmeState): string {
  return sealText(secrets, JSON.stringify(state));
}

/** When a certificate is renewed: in the last third of its life. The exact time differs between certificates. */
export function renewalAt({ startsAt, expiresAt, cert }: IssuedCertificate): number {
  const lifeThird = (expiresAt - startsAt) / 3;
  const delayShare = parseInt(hash('sha256', cert, 'hex').slice(0, 8), 16) / 2 ** 32;
  return expiresAt - lifeThird * (1 - 0.2 * delayShare);
}

/** Returns the first of `hosts` that needs a certificate now. */
export function dueHost(
  state: AcmeState,
  hosts: readonly string[],
  { directory }: Pick<AcmeSettings, 'directory'>,
  certificates: ReadonlyMap<string, IssuedCertificate>,
  now: number,
): string | undefined {
  if (state.order !== undefined && state.order.until > now) return undefined;
  return hosts.find((host) => {
    const certificate = certificates.get(host);
    const directoryOfCertificate = state.certificates.find(
      (entry) => entry.host === host,
    )?.directory;
    const isGood =
      certificate !== undefined &&
      directoryOfCertificate === directory &&
      renewalAt(certificate) > now;
    return !isGood && (failureOf(state, host)?.retryAt ?? 0) <= now;
  });
}

export function failureOf(state: AcmeState, host: string): Failure | undefined {
  return state.failures.find((failure) => failure.host === host);
}

/**
 * Let's Encrypt allows five failed checks of a host per hour. An authority that could not be reached is asked again
 * sooner.
 */
const WAIT_MS = {
  refused: { first: 2 * 60_000, longest: 12 * 3_600_000 },
  away: { first: 5_000, longest: 10 * 60_000 },
} as const;

/** Records a failed order. The wait doubles with each attempt. */
export function withFailure(
  state: AcmeState,
  host: string,
  { kind, reason }: Pick<Failure, 'kind' | 'reason'>,
  now: number,
): AcmeState {
  const lastFailure = failureOf(state, host);
  const attempts = lastFailure?.kind === kind ? lastFailure.attempts + 1 : 1;
  const { first, longest } = WAIT_MS[kind];
  const retryAt = now + Math.min(first * 2 ** (attempts - 1), longest);
  const failure = { host, kind, attempts, reason, retryAt };
  const otherFailures = state.failures.filter((entry) => entry.host !== host);
  return { ...state, order: undefined, failures: [...otherFailures, failure] };
}

/** Replaces the certificate of a host. Removes the certificates of hosts that the settings no longer name. */
export function withCertificate(
  state: AcmeState,
  certificate: AcmeState['certificates'][number],
  hosts: readonly string[],
): AcmeState {
  const isKept = ({ host }: { readonly host: string }) =>
    host !== certificate.host && hosts.includes(host);
  return {
    ...state,
    order: undefined,
    certificates: [...state.certificates.filter(isKept), certificate],
    failures: state.failures.filter(isKept),
  };
}
