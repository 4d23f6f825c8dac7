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
import { createKey, type IssueOutcome, issueCertificate } from './issue-certificate.ts';
import { certificatesOf, LOOK_EVERY_MS, type CertificateWatcher } from './watch-certificates.ts';

/** An order takes seconds. After this time other instances treat it as abandoned. */
const ORDER_MS = 180_000;
/** Within this time all threads and instances have read the proof. The authority can connect to any of them. */
const PROOF_SPREAD_MS = 2.5 * LOOK_EVERY_MS;
/** How often Guard tries to write a result while the store is away for a short time. */
const MAX_WRITES = 10;

interface OrderingContext {
  readonly watcher: CertificateWatcher;
  readonly change: ChangeText;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Orders the certificates that are due. Only one instance orders, and only one certificate at a time. The old
 * certificate stays in use until the new one exists.
 */
export function orderCertificates(context: OrderingContext): Close {
  const { watcher, settings, clock, log, metrics } = context;
  const instanceId = randomUUID();
  let runningOrder: Promise<void> | undefined;
  const loggedHosts = new Set<string>();

  metrics.gauge('guard_certificates_awaited', () => missingHosts().length);

  function missingHosts(): string[] {
    return acmeHosts(settings()).filter((host) => !watcher.certificates().has(host));
  }

  function logAwaited(): void {
    const newHosts = missingHosts().filter((host) => !loggedHosts.has(host));
    if (newHosts.length === 0) return;
    for (const host of newHosts) loggedHosts.add(host);
    const { directory } = settings().tls?.acme ?? {};
    log('info', 'certificates_awaited', { hosts: newHosts.join(', '), from: directory ?? '' });
  }

  function orderIfDue(): void {
    const state = watcher.state();
    const { acme } = settings().tls ?? {};
    if (runningOrder !== undefined || state === undefined || acme === undefined) return;
    logAwaited();
    const hosts = acmeHosts(settings());
    const isDue = dueHost(state, hosts, acme, watcher.certificates(), clock()) !== undefined;
    if (!isDue && !watcher.isForgotten()) return;
    // If the store lost the certificates, they are written back. New orders for all of them could exceed the
    // authority's weekly limit.
    runningOrder = (isDue ? new OneOrder(instanceId, context, acme, hosts).run() : writeBack(state))
      .catch((error: unknown) => log('error', 'certificate_order_broke', { reason: String(error) }))
      .finally(() => (runningOrder = undefined));
  }

  async function writeBack(state: AcmeState): Promise<void> {
    const { secret } = settings();
    const outcome = await context.change((text) =>
      text === '' ? sealState(secret, state) : undefined,
    );
    if (outcome === 'changed') log('warn', 'certificates_written_back');
  }

  const timer = setInterval(orderIfDue, LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    if (runningOrder === undefined) return;
    // Ends the order in the store, so that the next instance can order at once.
    const { secret } = settings();
    await context.change((text) => {
      const state = openState(secret, text);
      return state?.order?.by === instanceId
        ? sealState(secret, { ...state, order: undefined })
        : undefined;
    });
  };
}

class OneOrder {
  readonly #instanceId: string;
  readonly #context: OrderingContext;
  readonly #acme: AcmeSettings;
  readonly #hosts: readonly string[];

  constructor(
    instanceId: string,
    context: OrderingContext,
    acme: AcmeSettings,
    hosts: readonly string[],
  ) {
    this.#instanceId = instanceId;
    this.#context = context;
    this.#acme = acme;
    this.#hosts = hosts;
  }

  async run(): Promise<void> {
    const startedOrder = await this.#startOrder(await createKey());
    if (startedOrder === undefined) return;
    const { host, state, accountKey } = startedOrder;
    const { log, metrics } = this.#context;
    const outcome = await Promise.race([
      issueCertificate({
        host,
        authority: this.#acme,
        accountKey,
        proofKind: this.#proofKind(state, host),
        show: (proof) => this.#show(proof),
      }),
      sleep(ORDER_MS - 10_000, LATE_OUTCOME, { ref: false }),
    ]);
    const isWritten = await this.#finish(host, outcome);
    metrics.count('guard_certificate_orders_total', outcome.kind);
    if (outcome.kind === 'issued') {
      if (isWritten) log('info', 'certificate_issued', { host });
      else log('error', 'certificate_not_kept', { host, reason: 'the store is away' });
    } else if (failureOf(state, host)?.reason !== outcome.reason) {
      // This failure is logged once for each reason. The metrics count every failure.
      log('error', 'certificate_not_issued', { host, reason: outcome.reason });
    }
  }

  /** Starts an order for the first host that is due, unless another instance has an open order. */
  async #startOrder(newKey: string) {
    const { clock } = this.#context;
    const { directory } = this.#acme;
    let startedOrder: { host: string; state: AcmeState; accountKey: string } | undefined;
    const outcome = await this.#change((state) => {
      startedOrder = undefined;
      // The state is read again, because another instance may have written a certificate a moment ago.
      const certificates = certificatesOf(state, this.#hosts);
      const host = dueHost(state, this.#hosts, this.#acme, certificates, clock());
      if (host === undefined) return undefined;
      const isOurs = state.account?.directory === directory;
      const account = isOurs ? state.account : { directory, key: newKey };
      startedOrder = { host, state, accountKey: account.key };
      return { ...state, account, order: { by: this.#instanceId, until: clock() + ORDER_MS } };
    });
    return outcome === 'changed' ? startedOrder : undefined;
  }

  /**
   * The kind of the proof: http-01 if a gateway listens on plain http, or else tls-alpn-01. After a refusal, every
   * second attempt uses the other kind.
   */
  #proofKind(state: AcmeState, host: string): Proof['kind'] {
    const { gateway, gateway_tls } = this.#context.settings().listen;
    const kinds: Proof['kind'][] = [
      ...(gateway ? ['http-01' as const] : []),
      ...(gateway_tls ? ['tls-alpn-01' as const] : []),
    ];
    const failure = failureOf(state, host);
    const refusals = failure?.kind === 'refused' ? failure.attempts : 0;
    return kinds[refusals % kinds.length] ?? 'http-01';
  }

  async #show(proof: Proof): Promise<void> {
    const { clock } = this.#context;
    const outcome = await this.#change(({ order, ...state }) =>
      order?.by === this.#instanceId
        ? { ...state, order: { by: this.#instanceId, until: clock() + ORDER_MS, proof } }
        : undefined,
    );
    if (outcome !== 'changed') throw new Error('the store could not keep the proof');
    await sleep(PROOF_SPREAD_MS, undefined, { ref: false });
  }

  /** Writes the result of an order. Resolves with true when it was written. */
  async #finish(host: string, issueOutcome: IssueOutcome): Promise<boolean> {
    const { clock } = this.#context;
    const { directory } = this.#acme;
    for (let attempt = 0; attempt < MAX_WRITES; attempt += 1) {
      const outcome = await this.#change((state) =>
        issueOutcome.kind === 'issued'
          ? withCertificate(
              state,
              { host, directory, cert: issueOutcome.cert, key: issueOutcome.key },
              this.#hosts,
            )
          : withFailure(state, host, issueOutcome, clock()),
      );
      if (outcome === 'changed') return true;
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
    return false;
  }

  #change(edit: (state: AcmeState) => AcmeState | undefined) {
    const { settings, watcher, change } = this.#context;
    const { secret } = settings();
    return change((text) => {
      // If the stored text is missing or unreadable, the certificates of other hosts must not be lost.
      const storedState = text === '' ? undefined : openState(secret, text);
      const editedState = edit(storedState ?? watcher.state() ?? NO_STATE);
      return editedState && sealState(secret, editedState);
    });
  }
}

const LATE_OUTCOME: IssueOutcome = { kind: 'away', reason: 'the authority took too long' };
