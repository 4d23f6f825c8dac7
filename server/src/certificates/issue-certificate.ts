import { X509Certificate } from 'node:crypto';
import type { AcmeSettings } from '@guard/config/settings/sections/acme';
import type { Proof } from './acme-state.ts';

/** One certificate, for one host. */
export interface Order {
  readonly host: string;
  readonly authority: Pick<AcmeSettings, 'directory' | 'email'>;
  /** PEM. */
  readonly accountKey: string;
  readonly proofKind: Proof['kind'];
  /** Lets all instances show the proof. Rejects when that fails. */
  readonly show: (proof: Proof) => Promise<void>;
}

export type Issued =
  /** Both as PEM; the chain of the certificate behind it. */
  | { readonly kind: 'issued'; readonly cert: string; readonly key: string }
  /** `reason` is in the words of the authority, or of what failed on the way to it. */
  | { readonly kind: 'refused' | 'away'; readonly reason: string };

/** Never rejects. */
export type IssueCertificate = (order: Order) => Promise<Issued>;

/** For one answer of the authority. */
const ANSWER_MS = 20_000;
/** Checks whether the authority has made up its mind: after half a second, then less and less often, for a minute. */
const ASK_AGAIN = { backoffAttempts: 11, backoffMin: 500, backoffMax: 8_000 } as const;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_REASON_LENGTH = 500;
const TOKEN = /(acme-challenge\/)[\w-]+/g;

/** Creates a key for an account or a certificate: ECDSA on P-256, as PEM. */
export async function createKey(): Promise<string> {
  const { crypto } = await loadClient();
  return String(await crypto.createPrivateEcdsaKey());
}

/** Orders a certificate by ACME (RFC 8555). */
export const issueCertificate: IssueCertificate = async (order) => {
  try {
    return await issue(order);
  } catch (error) {
    return failed(error);
  }
};

async function issue({ host, authority, accountKey, proofKind, show }: Order): Promise<Issued> {
  const { Client, crypto } = await loadClient();
  const client = new Client({ directoryUrl: authority.directory, accountKey, ...ASK_AGAIN });
  await client.createAccount({
    termsOfServiceAgreed: true,
    contact: [`mailto:${authority.email}`],
  });
  const order = await client.createOrder({ identifiers: [{ type: 'dns', value: host }] });
  for (const authorization of await client.getAuthorizations(order)) {
    // It knows from an order before that the host is here.
    if (authorization.status === 'valid') continue;
    const challenge = authorization.challenges.find(({ type }) => type === proofKind);
    if (challenge === undefined) {
      return { kind: 'refused', reason: `the authority does not offer ${proofKind}` };
    }
    const answer = await client.getChallengeKeyAuthorization(challenge);
    if (proofKind === 'http-01') {
      await show({ kind: proofKind, token: challenge.token, answer });
    } else {
      const key = await crypto.createPrivateEcdsaKey();
      const [, cert] = await crypto.createAlpnCertificate(authorization, answer, key);
      await show({ kind: proofKind, host, cert: String(cert), key: String(key) });
    }
    await client.completeChallenge(challenge);
    await client.waitForValidStatus(challenge);
  }
  const own = await crypto.createPrivateEcdsaKey();
  const [key, csr] = await crypto.createCsr({ altNames: [host] }, own);
  const cert = await client.getCertificate(await client.finalizeOrder(order, csr));
  const isRight = new X509Certificate(cert).checkHost(host) !== undefined;
  return isRight
    ? { kind: 'issued', cert, key: String(key) }
    : { kind: 'refused', reason: 'the authority issued a certificate for another host' };
}

/** An installation without `tls.acme` does not load the client. */
async function loadClient() {
  const { default: acme } = await import('acme-client');
  // Its own repeated requests hide why there was no connection. When to ask again is decided in acme-state.ts.
  acme.axios.interceptors.request.clear();
  acme.axios.interceptors.response.clear();
  acme.axios.defaults.timeout = ANSWER_MS;
  acme.axios.defaults.maxContentLength = MAX_ANSWER_BYTES;
  return acme;
}

function failed(error: unknown): Issued {
  const isAway = error instanceof Error && 'isAxiosError' in error;
  const code = isAway && 'code' in error ? `${String(error.code)} ` : '';
  const said = error instanceof Error ? error.message : String(error);
  // The authority chose these words, and they are for a log. A token is another one at each attempt.
  const plain = `${code}${said}`.replace(/\p{C}+/gu, ' ').replace(TOKEN, '$1…');
  const reason = plain.trim().slice(0, MAX_REASON_LENGTH);
  return { kind: isAway ? 'away' : 'refused', reason: reason === '' ? 'no reason given' : reason };
}
