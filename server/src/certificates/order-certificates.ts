import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log, Metrics } from '@guard/config/contract/ports';
import { acmeHosts } from '@guard/config/settings/derived/acme-hosts';
import type { AcmeSettings } from '@guard/config/settings/sections/acme';
import type { Settings } from '@guard/config/settings/schema';
import type { Close } from '../process/process-context.ts';
import type { ChangeText } from '../store/shared-text.ts';
import {
  type AcmeState,
  dueHost,
  failureOf,
  NO_STATE,
  openState,
  type Proof,
  sealState,
  withCertificate,
  withFailure,
} from './acme-state.ts';
import { createKey, type Issued, issueCertificate } from './issue-certificate.ts';
import { certificatesOf, LOOK_EVERY_MS, type WatchedCertificates } from './watch-certificates.ts';

/** An order takes seconds. After this time other instances take it for abandoned. */
const ORDER_MS = 180_000;
/** Within this time all threads and instances have read the proof. The authority may connect to any of them. */
const SEEN_MS = 2.5 * LOOK_EVERY_MS;
/** How often the write of a result is tried while the store is briefly away. */
const WRITES = 10;

interface Ordering {
  readonly watched: WatchedCertificates;
  readonly change: ChangeText;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Orders due certificates: one instance, one at a time. The old certificate stays in use until the new one exists. */
export function orderCertificates(ordering: Ordering): Close {
  const { watched, settings, clock, log, metrics } = ordering;
  const instanceId = randomUUID();
  let underway: Promise<void> | undefined;
  const loggedHosts = new Set<string>();

  metrics.gauge('guard_certificates_awaited', () => missing().length);

  function missing(): string[] {
    return acmeHosts(settings()).filter((host) => !watched.held().has(host));
  }

  function logAwaited(): void {
    const fresh = missing().filter((host) => !loggedHosts.has(host));
    if (fresh.length === 0) return;
    for (const host of fresh) loggedHosts.add(host);
    const { directory } = settings().tls?.acme ?? {};
    log('info', 'certificates_awaited', { hosts: fresh.join(', '), from: directory ?? '' });
  }

  function consider(): void {
    const state = watched.state();
    const { acme } = settings().tls ?? {};
    if (underway !== undefined || state === undefined || acme === undefined) return;
    logAwaited();
    const hosts = acmeHosts(settings());
    const isDue = dueHost(state, hosts, acme, watched.held(), clock()) !== undefined;
    if (!isDue && !watched.isForgotten()) return;
    // If the store lost the certificates, they are written back. New orders for all of them could exceed the
    // authority's weekly limit.
    underway = (isDue ? new OneOrder(instanceId, ordering, acme, hosts).run() : writeBack(state))
      .catch((error: unknown) => log('error', 'certificate_order_broke', { reason: String(error) }))
      .finally(() => (underway = undefined));
  }

  async function writeBack(state: AcmeState): Promise<void> {
    const { secret } = settings();
    const outcome = await ordering.change((text) =>
      text === '' ? sealState(secret, state) : undefined,
    );
    if (outcome === 'changed') log('warn', 'certificates_written_back');
  }

  const timer = setInterval(consider, LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    if (underway === undefined) return;
    // Ends the order in the store, so that the next instance need not wait until it counts as abandoned.
    const { secret } = settings();
    await ordering.change((text) => {
      const state = openState(secret, text);
      return state?.order?.by === instanceId
        ? sealState(secret, { ...state, order: undefined })
        : undefined;
    });
  };
}

class OneOrder {
  readonly #instanceId: string;
  readonly #ordering: Ordering;
  readonly #acme: AcmeSettings;
  readonly #hosts: readonly string[];

  constructor(
    instanceId: string,
    ordering: Ordering,
    acme: AcmeSettings,
    hosts: readonly string[],
  ) {
    this.#instanceId = instanceId;
    this.#ordering = ordering;
    this.#acme = acme;
    this.#hosts = hosts;
  }

  async run(): Promise<void> {
    const begun = await this.#begin(await createKey());
    if (begun === undefined) return;
    const { host, state, accountKey } = begun;
    const { log, metrics } = this.#ordering;
    const issued = await Promise.race([
      issueCertificate({
        host,
        authority: this.#acme,
        accountKey,
        proofKind: this.#proofKind(state, host),
        show: (proof) => this.#show(proof),
      }),
      sleep(ORDER_MS - 10_000, LATE, { ref: false }),
    ]);
    const isKept = await this.#finish(host, issued);
    metrics.count('guard_certificate_orders_total', issued.kind);
    if (issued.kind === 'issued') {
      if (isKept) log('info', 'certificate_issued', { host });
      else log('error', 'certificate_not_kept', { host, reason: 'the store is away' });
    } else if (failureOf(state, host)?.reason !== issued.reason) {
      // Logged once for each reason. The metrics count every failure.
      log('error', 'certificate_not_issued', { host, reason: issued.reason });
    }
  }

  /** Takes the first due host, unless another instance has an open order. */
  async #begin(newKey: string) {
    const { clock } = this.#ordering;
    const { directory } = this.#acme;
    let begun: { host: string; state: AcmeState; accountKey: string } | undefined;
    const outcome = await this.#change((state) => {
      begun = undefined;
      // Another instance may have written a certificate a moment ago.
      const held = certificatesOf(state, this.#hosts);
      const host = dueHost(state, this.#hosts, this.#acme, held, clock());
      if (host === undefined) return undefined;
      const isOurs = state.account?.directory === directory;
      const account = isOurs ? state.account : { directory, key: newKey };
      begun = { host, state, accountKey: account.key };
      return { ...state, account, order: { by: this.#instanceId, until: clock() + ORDER_MS } };
    });
    return outcome === 'changed' ? begun : undefined;
  }

  /** http-01 if a gateway listens on plain http. After a refusal, every second attempt uses the other kind. */
  #proofKind(state: AcmeState, host: string): Proof['kind'] {
    const { gateway, gateway_tls } = this.#ordering.settings().listen;
    const kinds: Proof['kind'][] = [
      ...(gateway ? (['http-01'] as const) : []),
      ...(gateway_tls ? (['tls-alpn-01'] as const) : []),
    ];
    const failure = failureOf(state, host);
    const refusals = failure?.kind === 'refused' ? failure.attempts : 0;
    return kinds[refusals % kinds.length] ?? 'http-01';
  }

  async #show(proof: Proof): Promise<void> {
    const { clock } = this.#ordering;
    const outcome = await this.#change(({ order, ...state }) =>
      order?.by === this.#instanceId
        ? { ...state, order: { by: this.#instanceId, until: clock() + ORDER_MS, proof } }
        : undefined,
    );
    if (outcome !== 'changed') throw new Error('the store could not keep the proof');
    await sleep(SEEN_MS, undefined, { ref: false });
  }

  /** Resolves with whether the result was written. */
  async #finish(host: string, issued: Issued): Promise<boolean> {
    const { clock } = this.#ordering;
    const { directory } = this.#acme;
    for (let write = 0; write < WRITES; write += 1) {
      const outcome = await this.#change((state) =>
        issued.kind === 'issued'
          ? withCertificate(
              state,
              { host, directory, cert: issued.cert, key: issued.key },
              this.#hosts,
            )
          : withFailure(state, host, issued, clock()),
      );
      if (outcome === 'changed') return true;
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
    return false;
  }

  #change(edit: (state: AcmeState) => AcmeState | undefined) {
    const { settings, watched, change } = this.#ordering;
    const { secret } = settings();
    return change((text) => {
      // A missing or unreadable text must not remove the certificates of other hosts.
      const held = text === '' ? undefined : openState(secret, text);
      const edited = edit(held ?? watched.state() ?? NO_STATE);
      return edited && sealState(secret, edited);
    });
  }
}

const LATE: Issued = { kind: 'away', reason: 'the authority took too long' };
