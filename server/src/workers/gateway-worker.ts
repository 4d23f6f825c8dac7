/**
 * The main module of a worker thread: a gateway with its own validator, at the addresses of the main thread's gateway.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type EventRelay, openEventRelay } from '@guard/analytics';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { SessionStore } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import type { Settings } from '@guard/config/settings/schema';
import { inSlices } from '@guard/config/time/slices';
import { createGateway, type Gateway } from '@guard/gateway';
import type { RedisStore } from '@guard/validator/redis-store';
import { createResolver, CrowdsecList, ThreadStore } from '@guard/validator';
import {
  buildDeployment,
  type Dependencies,
  type Deployment,
  retire,
} from '../deployment/deployment.ts';
import { openCertificates, type OpenCertificates } from '../certificates/open-certificates.ts';
import { openDecisions, type OpenDecisions } from '../decisions/watch-decisions.ts';
import { noAnalytics } from '../events/no-analytics.ts';
import { logDecisions, measureEvents } from '../events/watch-events.ts';
import { listenGateway } from '../listeners/listen.ts';
import { WorkerMetrics } from '../metrics/worker-metrics.ts';
import { createLog } from '../process/log.ts';
import { withStartSettings } from '../reload/changes.ts';
import { fromPieces } from '../reload/settings-pieces.ts';
import { openTracing } from '../tracing/tracing.ts';
import { RemoteValidators } from '../validators/gateway-sites.ts';
import { PendingReplies } from './pending-replies.ts';
import type {
  MessageFromWorker,
  MessageToWorker,
  SharedSession,
  WorkerData,
} from './worker-handle.ts';

/** Time between two reports of metrics to the main thread. */
const METRICS_EVERY_MS = 500;
/** The longest time that a verified visitor waits until the other threads have the session. */
const SHARE_TIMEOUT_MS = 500;

type Send = (message: MessageFromWorker, transfer?: readonly ArrayBuffer[]) => void;

type ReloadMessage = Extract<MessageToWorker, { kind: 'reload' }>;

/** The parts of this thread, and the handlers for messages from the main thread. */
class GatewayWorker {
  readonly #send: Send;
  readonly #dependencies: Omit<Dependencies, 'store' | 'temporary'>;
  readonly #metrics: WorkerMetrics;
  readonly #sessionCopies: ThreadStore;
  readonly #budgets: SharedArrayBuffer;
  #store: SessionStore;
  readonly #relay: EventRelay;
  readonly #pendingShares = new PendingReplies(SHARE_TIMEOUT_MS);
  readonly #metricsTimer: NodeJS.Timeout;
  readonly #tracing: Tracing | undefined;
  #decisions: OpenDecisions | undefined;
  #certificates: OpenCertificates | undefined;
  /** Settles when the newest settings are in use. They come from the start or from a reload. */
  #lastApply: Promise<unknown> = Promise.resolve();
  #gateway: Gateway | undefined;
  #deployment: Deployment | undefined;

  constructor(send: Send, { settings, addresses, memory, backlog }: WorkerData) {
    const clock = Date.now;
    const metrics = new WorkerMetrics();
    const log = createLog(
      process.stderr,
      () => metrics.count('guard_log_lines_lost_total'),
      () => (this.#deployment?.settings ?? settings).log.format,
    );
    this.#send = send;
    this.#budgets = memory.budgets;
    this.#metrics = metrics;
    this.#tracing = openTracing(log);
    this.#relay = openEventRelay({
      privacy: settings.analytics?.privacy,
      clock,
      log,
      metrics,
      waiting: () => Atomics.load(backlog, 0),
      send: (to, batch, transfer) => {
        send({ kind: 'events', to, batch }, transfer);
      },
    });
    this.#sessionCopies = new ThreadStore(clock, memory, (id, session, expiresAt) =>
      this.#pendingShares.ask((number) => {
        send({ kind: 'share-session', shared: { id, session, expiresAt }, number });
      }),
    );
    this.#store = this.#sessionCopies;
    this.#dependencies = {
      log,
      clock,
      metrics,
      analytics: {
        ...noAnalytics(metrics),
        sink: logDecisions(
          measureEvents(this.#relay.sink, metrics),
          log,
          () => this.#deployment?.settings ?? settings,
        ),
      },
      crowdsec: new CrowdsecList(clock),
      resolver: createResolver(),
      remotes: new RemoteValidators({ clock, log, metrics }),
      networks: NetworkCatalogue.load(),
      docs: () => Promise.resolve(),
      addresses,
      isReady: () => true,
      issuedCertificates: () => new Map(),
    };
    this.#metricsTimer = setInterval(() => {
      this.#sendMetrics();
    }, METRICS_EVERY_MS);
  }

  listen(settings: Settings): Promise<void> {
    const listening = this.#listen(settings);
    this.#lastApply = listening;
    return listening;
  }

  async #listen(settings: Settings): Promise<void> {
    const { store } = settings;
    const { analytics, clock, log, metrics } = this.#dependencies;
    let redis: RedisStore | undefined;
    if (store.engine === 'redis') {
      const { RedisStore } = await import('@guard/validator/redis-store');
      redis = await RedisStore.open({
        ...store,
        ...this.#dependencies,
        budgets: this.#budgets,
      });
    }
    this.#store = redis ?? this.#sessionCopies;
    // These ports log nothing, because the main thread logs the same events.
    const quietPorts = { clock, log: () => undefined };
    this.#decisions = await openDecisions(settings, redis, quietPorts);
    const { watcher } = (this.#certificates = await openCertificates({
      settings: () => this.#deployment?.settings ?? settings,
      redis,
      ...quietPorts,
    }));
    const first = await this.#build(settings, settingsRevision(settings));
    const { listen } = first.settings;
    const ports = { events: analytics.sink, clock, log, metrics };
    const proxyProtocol = listen.proxy_protocol;
    this.#deployment = first;
    this.#gateway = createGateway({
      ...first.gateway,
      ...ports,
      tracing: this.#tracing,
      proxyProtocol,
      challenges: watcher.challenges,
      sharedAddress: 'join',
    });
    const gateway = this.#gateway;
    watcher.onChange((issued) => gateway.showIssued(issued));
    await listenGateway(gateway, listen);
    this.#send({ kind: 'listening' });
  }

  handle(message: MessageToWorker): void {
    switch (message.kind) {
      case 'sessions':
        for (const sharedSession of message.sessions) this.#adoptSession(sharedSession);
        return;
      case 'session':
        this.#adoptSession(message.shared);
        this.#send({ kind: 'session-received', number: message.number });
        return;
      case 'crowdsec':
        this.#dependencies.crowdsec.apply(message.changes);
        return;
      case 'session-shared':
        this.#pendingShares.resolveReply(message.number);
        return;
      case 'reload':
        // Settings are applied in order. Otherwise older settings that take longer to build could replace newer
        // ones.
        this.#lastApply = this.#lastApply.then(() => this.#replyToReload(message), ignore);
        return;
      case 'close':
        void this.#close();
        return;
    }
  }

  #build(settings: Settings, revision: string): Promise<Deployment> {
    const { rules: temporary } = this.#decisions ?? {};
    const dependencies = { ...this.#dependencies, store: this.#store, temporary };
    return buildDeployment(gatewayOnly(settings), revision, dependencies, this.#deployment);
  }

  #adoptSession({ id, session, expiresAt }: SharedSession): void {
    this.#sessionCopies.adopt(id, session, expiresAt);
  }

  async #replyToReload(message: ReloadMessage): Promise<void> {
    const fault = await this.#reload(message);
    this.#send({ kind: 'reloaded', fault, number: message.number });
  }

  /** Applies new settings. When this fails, it resolves with the reason, and nothing has changed. */
  async #reload({ pieces, atStart, revision }: ReloadMessage): Promise<string | undefined> {
    try {
      const { settings } = await fromPieces(pieces, inSlices());
      const next = await this.#build(withStartSettings(settings, atStart), revision);
      this.#gateway?.reload(next.gateway);
      if (this.#deployment) retire(this.#deployment, this.#dependencies.log);
      this.#deployment = next;
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  #sendMetrics(): void {
    this.#send({ kind: 'metrics', report: this.#metrics.takeReport() });
  }

  async #close(): Promise<void> {
    await this.#gateway?.close();
    clearInterval(this.#metricsTimer);
    this.#relay.close();
    this.#sendMetrics();
    await this.#deployment?.close();
    await this.#decisions?.close();
    await this.#certificates?.watcher.close();
    await this.#store.close();
    this.#send({ kind: 'closed' });
  }
}

function ignore(): void {
  // When the worker cannot start, it sends the reason and ends.
}

/** Settings for a gateway only. The main thread runs all other services, and also stores the events. */
function gatewayOnly(settings: Settings): Settings {
  const { gateway, gateway_tls, proxy_protocol, redirect_https } = settings.listen;
  const listen = { gateway, gateway_tls, proxy_protocol, redirect_https };
  return { ...settings, listen };
}

if (parentPort) {
  const mainPort = parentPort;
  // The cast is safe, because worker-pool.ts passes this value to each worker.
  const data = workerData as WorkerData;
  const worker = new GatewayWorker((message, transfer = []) => {
    mainPort.postMessage(message, [...transfer]);
  }, data);
  mainPort.on('message', (message: MessageToWorker) => {
    worker.handle(message);
  });
  worker.listen(data.settings).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    mainPort.postMessage({ kind: 'start-failed', reason } satisfies MessageFromWorker);
    mainPort.close();
  });
}
