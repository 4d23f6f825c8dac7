import type { Analytics } from '@guard/analytics';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import type { Service } from '@guard/config/settings/schema';
import type { createResolver } from '@guard/validator';
import type { FastifyPluginAsync } from 'fastify';
import type { MetricsPage } from '../metrics/metrics.ts';
import type { RemoteValidators } from '../validators/remote-validators.ts';

export type Addresses = Readonly<Partial<Record<Service, string>>>;

/** What the process gives to everything in it. */
export interface Ambient {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
}

/** What an installation keeps while it runs, however often its settings are read again. */
export interface House extends Ambient {
  readonly analytics: Analytics;
  readonly store: SessionStore;
  /** Looks up the names of addresses that claim to be a crawler's. */
  readonly resolver: ReturnType<typeof createResolver>;
  /** What is known of a remote validator, and the connections to it, outlast the settings. */
  readonly remotes: RemoteValidators;
  /** Bundled with the program, and slow to read. */
  readonly networks: NetworkCatalogue;
  /** The documentation, for the `docs` listener. */
  readonly docs: FastifyPluginAsync;
  /** Where each service listens, as far as it does by now. */
  readonly addresses: Addresses;
  readonly isReady: () => boolean;
}
