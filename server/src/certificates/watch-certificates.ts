import type { Clock, Log } from '@guard/config/contract/ports';
import { acmeHosts } from '@guard/config/settings/derived/acme-hosts';
import type { Settings } from '@guard/config/settings/schema';
import { type IssuedCertificate, readCertificate } from '@guard/config/settings/sections/tls';
import type { AcmeChallenges } from '@guard/gateway';
import type { Close } from '../process/process-context.ts';
import type { ReadText } from '../store/shared-text.ts';
import { type AcmeState, NO_STATE, openState } from './acme-state.ts';
import { repeat } from '../process/repeat.ts';

/** The time between two reads. So a change by one instance reaches all others. */
export const LOOK_EVERY_MS = 1_000;

interface WatchOptions {
  readonly read: ReadText;
  readonly settings: () => Pick<Settings, 'tls' | 'sites' | 'secret'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CertificateWatcher {
  /** The last state that was read. Undefined until the first successful read. */
  readonly state: () => AcmeState | undefined;
  /** True when the store has lost `state`: it was emptied, or Redis restarted without its data. */
  readonly isForgotten: () => boolean;
  /** The usable certificates, by host. */
  readonly certificates: () => ReadonlyMap<string, IssuedCertificate>;
  /** The proofs that an authority looks for when it verifies a host. */
  readonly challenges: AcmeChallenges;
  /** Calls the only listener with all certificates, now and after each change. */
  readonly onChange: (listener: (certificates: readonly IssuedCertificate[]) => void) => void;
  readonly close: Close;
}

/**
 * Keeps the certificates of the authority in sync with the other instances. Resolves after the first read, so that the
 * first visitor after a restart gets a certificate. Does not read the store while the settings have no `tls.acme`.
 */
export async function watchCertificates(options: WatchOptions): Promise<CertificateWatcher> {
  const { read, settings, clock, log } = options;
  let state: AcmeState | undefined;
  let heldCertificates: ReadonlyMap<string, IssuedCertificate> = new Map();
  let isForgotten = false;
  let failure = '';
  let notifyListener: (certificates: readonly IssuedCertificate[]) => void = () => undefined;

  const noteFailure = (reason: string): void => {
    if (reason !== failure && reason !== '') log('error', 'certificates_unread', { reason });
    failure = reason;
  };
  const applyState = (): void => {
    const nextCertificates = certificatesOf(state ?? NO_STATE, acmeHosts(settings()));
    if (isSame(heldCertificates, nextCertificates)) return;
    heldCertificates = nextCertificates;
    try {
      notifyListener([...nextCertificates.values()]);
    } catch (error) {
      // After this error the gateway keeps its earlier certificates.
      log('error', 'certificates_not_shown', { reason: String(error) });
    }
  };
  const readOnce = async (): Promise<number> => {
    const { tls, secret } = settings();
    if (tls?.acme !== undefined) {
      const answer = await read();
      if (answer.kind === 'failed') noteFailure(answer.reason);
      if (answer.kind === 'read') {
        // Current certificates stay until new ones exist, even when the store is empty.
        isForgotten = answer.text === '' && state !== undefined && state !== NO_STATE;
        const openedState = isForgotten ? state : openState(secret, answer.text);
        noteFailure(openedState === undefined ? OTHER_SECRET : '');
        state = openedState ?? state ?? NO_STATE;
      }
    }
    applyState();
    return LOOK_EVERY_MS;
  };
  const currentProof = () => {
    const order = state?.order;
    return order !== undefined && order.until > clock() ? order.proof : undefined;
  };

  await readOnce();
  return {
    state: () => state,
    isForgotten: () => isForgotten,
    certificates: () => heldCertificates,
    challenges: {
      keyAuthorization: (token) => {
        const proof = currentProof();
        return proof?.kind === 'http-01' && proof.token === token ? proof.answer : undefined;
      },
      certificateOf: (host) => {
        const proof = currentProof();
        return proof?.kind === 'tls-alpn-01' && proof.host === host ? proof : undefined;
      },
    },
    onChange: (listener) => {
      notifyListener = listener;
      listener([...heldCertificates.values()]);
    },
    close: repeat(LOOK_EVERY_MS, readOnce),
  };
}

const OTHER_SECRET =
  'another secret sealed them; add the old secret after the new one in `secret`, else all certificates are ordered again';

export function certificatesOf(
  { certificates }: AcmeState,
  hosts: readonly string[],
): ReadonlyMap<string, IssuedCertificate> {
  const usable = new Map<string, IssuedCertificate>();
  for (const { host, ...pem } of certificates) {
    const certificate = hosts.includes(host) ? readCertificate(pem, [host]) : undefined;
    if (certificate !== undefined) usable.set(host, certificate);
  }
  return usable;
}

function isSame(
  before: ReadonlyMap<string, IssuedCertificate>,
  after: ReadonlyMap<string, IssuedCertificate>,
): boolean {
  return (
    before.size === after.size &&
    [...after].every(([host, { cert }]) => before.get(host)?.cert.equals(cert))
  );
}
