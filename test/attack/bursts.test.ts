import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Burst, burst } from '../kit/visitors/burst.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type RedisServer, startRedis } from '../kit/peers/redis-server.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { SECRET_KEY, productSettings } from '../kit/product/product-settings.ts';
import { hasRedis } from '../kit/tools.ts';

const rules = [{ name: 'everybody', match: {}, verdict: 'block' }];
/** Bursts that once reached the origin: 25 long paths, and 900 short paths together with 40 long ones. */
const BURSTS: readonly Burst[] = [
  { light: 0, heavy: 25 },
  { light: 900, heavy: 40 },
];

describe.skipIf(!hasRedis)('a burst of requests to a site that blocks everybody', () => {
  let redis: RedisServer;
  let origin: RecordingOrigin;
  let redisProduct: Product;
  let remoteProduct: Product;
  beforeAll(async () => {
    [redis, origin] = await Promise.all([startRedis(), startRecordingOrigin()]);
    const store = { engine: 'redis', url: redis.url };
    redisProduct = await startProduct(
      productSettings(origin.url, { rules, top: { analytics: undefined, store } }),
    );
    const { validator: url } = redisProduct.addresses;
    const remote = { url, key: SECRET_KEY, timeout: '400ms' };
    remoteProduct = await startProduct(
      productSettings(origin.url, { site: { validator: remote }, top: { analytics: undefined } }),
    );
  });
  afterAll(async () => {
    await Promise.all([remoteProduct.stop(), redisProduct.stop()]);
    await Promise.all([origin.close(), redis.stop()]);
  });

  test.each(BURSTS)(
    '$light short and $heavy long paths, with sessions in Redis: each request is blocked',
    async (requests) => {
      const answers = await burst(redisProduct.addresses.gateway, '/', requests);
      expect([[...answers], origin.arrivals.length]).toEqual([
        [[403, requests.light + requests.heavy]],
        0,
      ]);
    },
  );

  test.each(BURSTS)(
    '$light short and $heavy long paths, with a remote validator that answers: each request is blocked, or gets 503',
    async (requests) => {
      const answers = await burst(remoteProduct.addresses.gateway, '/', requests);
      expect([...answers.keys()].filter((status) => status !== 403 && status !== 503)).toEqual([]);
      expect(answers.get(403)).toBeGreaterThan(0);
      expect(origin.arrivals.length).toBe(0);
    },
  );
});
