import type { Clock, Metrics, SessionStore } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { MemoryStore } from '@guard/validator';

/** The store of sessions, spent tickets and budgets that the settings name. */
export function openStore(
  settings: Settings['store'],
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics },
): SessionStore {
  switch (settings.engine) {
    case 'redis':
      throw new Error(
        'store.engine: redis is not available in this version; use { engine: memory }.',
      );
    case 'memory': {
      const store = new MemoryStore(clock);
      metrics.gauge('guard_sessions', () => store.sessionCount);
      return store;
    }
  }
}
