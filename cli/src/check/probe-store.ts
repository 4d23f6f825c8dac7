import type { Settings } from '@guard/config/settings/schema';
import { openRedis } from '../running-guard/open-redis.ts';
import { type Remark, warning } from './remark.ts';

/** Connects to the Redis of the settings and writes the key that Guard writes at each connection. */
export async function probeStore(settings: Settings['store']): Promise<Remark[]> {
  if (settings.engine !== 'redis') return [];
  const store = await openRedis(settings);
  const { refusal, awayFor } = store;
  await store.close();
  if (awayFor === undefined) return [];
  return [warning(['store', 'url'], refusal ?? `Redis cannot be used: ${awayFor}`)];
}
