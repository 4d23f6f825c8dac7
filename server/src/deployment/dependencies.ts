import type { Analytics } from '@guard/analytics';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { SessionStore } from '@guard/config/contract/ports';
import type { createResolver } from '@guard/validator';
import type { FastifyPluginAsync } from 'fastify';
import type { Addresses } from '../listeners/listen.ts';
import type { ProcessContext } from '../process/process-context.ts';
import type { RemoteValidators } from '../validators/remote-validators.ts';

/** What every deployment needs and shares. It stays while the process runs, over all reloads. */
export interface Dependencies extends ProcessContext {
  readonly analytics: Analytics;
  readonly store: SessionStore;
  /** Looks up the names of addresses that claim to be a crawler's. */
  readonly resolver: ReturnType<typeof createResolver>;
  /** A reload keeps the connections to remote validators, and the knowledge which of them are away. */
  readonly remotes: RemoteValidators;
  /** Bundled with the program, and slow to read. */
  readonly networks: NetworkCatalogue;
  /** The documentation, for the `docs` listener. */
  readonly docs: FastifyPluginAsync;
  /** Where each service listens. During the start it grows. */
  readonly addresses: Addresses;
  readonly isReady: () => boolean;
}
