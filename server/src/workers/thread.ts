/** A worker thread: a gateway with its own validator, at the addresses of the main thread's gateway. */
import { parentPort, workerData } from 'node:worker_threads';
import { type EventRelay, openEventRelay } from '@guard/analytics';
import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { SessionStore } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import type { Settings } from '@guard/config/settings/schema';
import { createGateway, type Gateway } from '@guard/gateway';
import { createResolver, ThreadStore } from '@guard/validator';
import { buildGeneration, type Generation } from '../deployment/generation.ts';
import type { House } from '../deployment/house.ts';
import { retire } from '../deployment/retire.ts';
import { createLog } from '../process/log.ts';
import { logDecisions } from '../events/log-decisions.ts';
import { measureEvents } from '../events/measure-events.ts';
import { listenGateway } from '../listeners/listen-gateway.ts';
import { RemoteValidators } from '../validators/remote-validators.ts';
import { noAnalytics } from '../events/no-analytics.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { Answers } from './answers.ts';
import { CountedMetrics } from '../metrics/counted-metrics.ts';
import type { Announced, Beginning, Order, Report } from './messages.ts';

/** How often counters are told to the main thread. */
const COUNTED_EVERY_MS = 500;
/** How long a judged session waits for the other threads to know it, before its visitor is answered. */
const KNOWN_WITHIN_MS = 500;

type Tell = (message: Report, transfer?: readonly ArrayBuffer[]) => void;

/** What a worker has of its own, and what it does when the main thread says so. */
class Thread {
  readonly #tell: Tell;
  readonly #house: Omit<House, 'store'>;
  readonly #metrics: CountedMetrics;
  readonly #copies: ThreadStore;
  #store: SessionStore;
  readonly #relay: EventRelay;
  readonly #known = new Answers(KNOWN_WITHIN_MS);
  readonly #counting: NodeJS.Timeout;
  readonly #tracing: Tracing | undefined;
  #gateway: Gateway | undefined;
  #inForce: Generation | undefined;

  constructor(tell: Tell, { settings, addresses, memory, backlog }: Beginning) {
    const clock = Date.now;
    const metrics = new CountedMetrics();
    const log = createLog(process.stderr, () => metrics.count('guard_log_lines_lost_total'));
    this.#tell = tell;
    this.#metrics = metrics;
    this.#tracing = openTracing(log);
    this.#relay = openEventRelay({
      privacy: settings.analytics?.privacy,
      clock,
      log,
      metrics,
      waiting: () => Atomics.load(backlog, 0),
      hand: (to, batch, transfer) => {
        tell({ kind: 'events', to, batch }, transfer);
      },
    });
    this.#copies = new ThreadStore(clock, memory, (id, session, expiresAt) =>
      this.#known.ask((number) => {
        tell({ kind: 'announce', announced: { id, session, expiresAt }, number });
      }),
    );
    this.#store = this.#copies;
    this.#house = {
      log,
      clock,
      metrics,
      analytics: {
        ...noAnalytics(metrics),
        sink: logDecisions(
          measureEvents(this.#relay.sink, metrics),
          log,
          () => this.#inForce?.settings ?? settings,
        ),
      },
      resolver: createResolver(),
      remotes: new RemoteValidators({ clock, log, metrics }),
      networks: NetworkCatalogue.load(),
      docs: () => Promise.resolve(),
      addresses,
      isReady: () => true,
    };
    this.#counting = setInterval(() => {
      this.#tellCounts();
    }, COUNTED_EVERY_MS);
  }

  async listen(settings: Settings): Promise<void> {
    const { store: wanted } = settings;
    if (wanted.engine === 'redis') {
      const { RedisStore } = await import('@guard/validator/redis-store');
      this.#store = await RedisStore.open({ url: wanted.url, ...this.#house });
    } else this.#store = this.#copies;
    const first = await this.#build(settings);
    const { listen } = first.settings;
    const { analytics, clock, log, metrics } = this.#house;
    const ports = { events: analytics.sink, clock, log, metrics };
    const proxyProtocol = listen.proxy_protocol;
    this.#inForce = first;
    this.#gateway = createGateway({
      ...first.gateway,
      ...ports,
      tracing: this.#tracing,
      proxyProtocol,
      sharedAddress: 'join',
    });
    await listenGateway(this.#gateway, listen);
    this.#tell({ kind: 'listening' });
  }

  follow(order: Order): void {
    switch (order.kind) {
      case 'sessions':
        for (const announced of order.sessions) this.#adopt(announced);
        return;
      case 'session':
        this.#adopt(order.announced);
        this.#tell({ kind: 'heard', number: order.number });
        return;
      case 'known':
        this.#known.answered(order.number);
        return;
      case 'reload':
        void this.#reload(order.settings).then((fault) => {
          this.#tell({ kind: 'reloaded', fault, number: order.number });
        });
        return;
      case 'close':
        void this.#close();
        return;
    }
  }

  #build(settings: Settings): Promise<Generation> {
    return buildGeneration(gatewayOnly(settings), { ...this.#house, store: this.#store });
  }

  #adopt({ id, session, expiresAt }: Announced): void {
    this.#copies.adopt(id, session, expiresAt);
  }

  /** Why it could not, if it could not: then everything is as it was. */
  async #reload(settings: Settings): Promise<string | undefined> {
    try {
      const next = await this.#build(settings);
      this.#gateway?.reload(next.gateway);
      if (this.#inForce) retire(this.#inForce, this.#house.log);
      this.#inForce = next;
      return undefined;
    } catch (error) {
      return String(error);
    }
  }

  #tellCounts(): void {
    this.#tell({ kind: 'counted', tally: this.#metrics.tally() });
  }

  async #close(): Promise<void> {
    await this.#gateway?.close();
    clearInterval(this.#counting);
    this.#relay.close();
    this.#tellCounts();
    await this.#inForce?.close();
    await this.#store.close();
    this.#tell({ kind: 'closed' });
  }
}

/** Everything else listens, and remembers, in the main thread. */
function gatewayOnly(settings: Settings): Settings {
  const { gateway, gateway_tls, proxy_protocol } = settings.listen;
  return { ...settings, listen: { gateway, gateway_tls, proxy_protocol }, analytics: undefined };
}

if (parentPort) {
  const main = parentPort;
  // What the crew begins each worker with: crew.ts.
  const beginning = workerData as Beginning;
  const thread = new Thread((message, transfer = []) => {
    main.postMessage(message, transfer);
  }, beginning);
  main.on('message', (order: Order) => {
    thread.follow(order);
  });
  thread.listen(beginning.settings).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    main.postMessage({ kind: 'failed', reason } satisfies Report);
    main.close();
  });
}
