import { X509Certificate } from 'node:crypto';
import type { AcmeSettings } from '@guard/config/settings/sections/acme';
import type { Proof } from './acme-state.ts';

/** An order for the certificate of one host. */
export interface Order {
  readonly host: string;
  readonly authority: Pick<AcmeSettings, 'directory' | 'email'>;
  /** The key of the account, in PEM. */
  readonly accountKey: string;
  readonly proofKind: Proof['kind'];
  /** Makes the proof available in all instances. Rejects when that fails. */
  readonly show: (proof: Proof) => Promise<void>;
}

export type IssueOutcome =
  /** Both texts are in PEM. `cert` also contains the chain. */
  | { readonly kind: 'issued'; readonly cert: string; readonly key: string }
  /** `reason` is the text of the authority or of the connection error. */
  | { readonly kind: 'refused' | 'away'; readonly reason: string };

/** Orders a certificate and resolves with the result. Never rejects. */
type IssueCertificate = (order: Order) => Promise<IssueOutcome>;

/** Time limit for one answer of the authority. */
const ANSWER_MS = 20_000;
/**
 * The pauses between two checks of an order: half a second at first, then longer. All pauses together last a minute.
 */
const ASK_AGAIN = { backoffAttempts: 11, backoffMin: 500, backoffMax: 8_000 } as const;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_REASON_LENGTH = 500;
const TOKEN = /(acme-challenge\/)[\w-]+/g;

/** Creates a key for an account or a certificate: ECDSA on P-256, in PEM. */
export async function createKey(): Promise<string> {
  const { crypto } = await loadClient();
  return String(await crypto.createPrivateEcdsaKey());
}

export const issueCertificate: IssueCertificate = async (order) => {
  try {
    return await orderCertificate(order);
  } catch (error) {
    return outcomeOfError(error);
  }
};

async function orderCertificate(order: Order): Promise<IssueOutcome> {
  const { host, authority, accountKey, proofKind, show } = order;
  const { Client, crypto } = await loadClient();
  const client = new Client({ directoryUrl: authority.directory, accountKey, ...ASK_AGAIN });
  const contact = [`mailto:${authority.email}`];
  await client.createAccount({ termsOfServiceAgreed: true, contact });
  const acmeOrder = await client.createOrder({ identifiers: [{ type: 'dns', value: host }] });
  for (const authorization of await client.getAuthorizations(acmeOrder)) {
    // The authority has already verified this host in an earlier order.
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
  const privateKey = await crypto.createPrivateEcdsaKey();
  const [key, csr] = await crypto.createCsr({ altNames: [host] }, privateKey);
  const cert = await client.getCertificate(await client.finalizeOrder(acmeOrder, csr));
  const isForHost = new X509Certificate(cert).checkHost(host) !== undefined;
  return isForHost
    ? { kind: 'issued', cert, key: String(key) }
    : { kind: 'refused', reason: 'the authority issued a certificate for another host' };
}

/** The client is loaded on demand, because only installations with `tls.acme` need it. */
async function loadClient() {
  const { default: acme } = await import('acme-client');
  // The client's own retries would hide why a connection failed. acme-state.ts decides when to try again.
  acme.axios.interceptors.request.clear();
  acme.axios.interceptors.response.clear();
  acme.axios.defaults.timeout = ANSWER_MS;
  acme.axios.defaults.maxContentLength = MAX_ANSWER_BYTES;
  return acme;
}

function outcomeOfError(error: unknown): IssueOutcome {
  const isAway = error instanceof Error && 'isAxiosError' in error;
  const code = isAway && 'code' in error ? `${String(error.code)} ` : '';
  const message = error instanceof Error ? error.message : String(error);
  // The authority chose this text, and it goes into a log. The token is removed, because each attempt has another
  // token, and the reason would differ each time.
  const cleanText = `${code}${message}`.replace(/\p{C}+/gu, ' ').replace(TOKEN, '$1…');
  const reason = cleanText.trim().slice(0, MAX_REASON_LENGTH);
  return { kind: isAway ? 'away' : 'refused', reason: reason === '' ? 'no reason given' : reason };
}
