import type { Analytics } from '@guard/analytics';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import type { Service } from '@guard/config/settings/schema';
import type { createResolver } from '@guard/validator';
import type { FastifyPluginAsync } from 'fastify';
import type { MetricsPage } from '../metrics.ts';

export type Addresses = Readonly<Partial<Record<Service, string>>>;

/** What an installation keeps while it runs, however often its settings are read again. */
export interface House {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: MetricsPage;
  readonly analytics: Analytics;
  readonly store: SessionStore;
  /** Looks up the names of addresses that claim to be a crawler's. */
  readonly resolver: ReturnType<typeof createResolver>;
  /** Bundled with the program, and slow to read. */
  readonly networks: NetworkCatalogue;
  /** The documentation, for the `docs` listener. */
  readonly docs: FastifyPluginAsync;
  /** Where each service listens, as far as it does by now. */
  readonly addresses: Addresses;
  readonly isReady: () => boolean;
}
