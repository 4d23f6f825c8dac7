import type { RedisPlace } from '@guard/config/settings/derived/data-places';
import type { RedisStore } from '@guard/validator/redis-store';

/** Opens the Redis of the settings without logs and metrics. The caller must close it. */
export async function openRedis(redis: RedisPlace): Promise<RedisStore> {
  const { RedisStore } = await import('@guard/validator/redis-store');
  const metrics = { count: () => undefined, gauge: () => undefined };
  return RedisStore.open({ ...redis, clock: Date.now, log: () => undefined, metrics });
}
