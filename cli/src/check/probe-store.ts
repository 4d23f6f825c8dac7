import type { Settings } from '@guard/config/settings/schema';
import { type Remark, warning } from './remark.ts';

/** Connects to the Redis of the settings and writes the key that Guard writes at each connection. */
export async function probeStore(settings: Settings['store']): Promise<Remark[]> {
  if (settings.engine !== 'redis') return [];
  const { RedisStore } = await import('@guard/validator/redis-store');
  const store = await RedisStore.open({
    ...settings,
    clock: Date.now,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
  });
  const { refusal, awayFor } = store;
  await store.close();
  if (awayFor === undefined) return [];
  return [warning(['store', 'url'], refusal ?? `Redis cannot be used: ${awayFor}`)];
}
