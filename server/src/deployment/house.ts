import type { Analytics } from '@guard/analytics';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { SessionStore } from '@guard/config/contract/ports';
import type { createResolver } from '@guard/validator';
import type { FastifyPluginAsync } from 'fastify';
import type { Addresses } from '../listeners/listen.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { RemoteValidators } from '../validators/remote-validators.ts';

/** What an installation keeps while it runs, however often its settings are read again. */
export interface House extends ProcessContext {
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
