import { type Balanced, type Balancer, startBalancer } from '../peers/balancer.ts';
import { freePort } from '../free-port.ts';
import { poll } from '../http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../origins/recording-origin.ts';
import { startRedis } from '../peers/redis-server.ts';
import { metricOf } from './metric-of.ts';
import { type Product, startProduct } from './start-product.ts';
import { productSettings } from './product-settings.ts';

/** Several products behind one HAProxy, with one Redis and one origin. */
export interface BalancedInstances {
  readonly origin: RecordingOrigin;
  readonly balancer: Balancer;
  /**
   * Kills one instance (SIGKILL) and starts it again on the same ports. Resolves when the instance gets requests again.
   */
  killAndStart(index: number): Promise<void>;
  /** The number of commands so far that Redis did not answer in time, also those of killed instances. */
  countUnanswered(): Promise<number>;
  close(): Promise<void>;
}

/** The time limit is long, because the machine can be busy with other work. */
const UP_WITHIN_MS = 60_000;

const OPERATIONS = ['session', 'keep_session', 'spend', 'take'];
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

export async function openBalancedInstances(
  count: number,
  rules: readonly unknown[],
): Promise<BalancedInstances> {
  const [origin, redis] = await Promise.all([startRecordingOrigin(), startRedis()]);
  const start = ({ gateway, admin }: Balanced): Promise<Product> => {
    const listen = { gateway: `127.0.0.1:${gateway}`, admin: `127.0.0.1:${admin}` };
    const store = { engine: 'redis', url: redis.url };
    const top = { listen, store, analytics: undefined };
    // All visitors of a test come from one network and do no work, and they load page after page, as programs do. So
    // these checks are off.
    const organisation = { challenge: { free_passes: false, session_shape: false } };
    return startProduct(productSettings(origin.url, { rules, organisation, top }));
  };
  const places: Balanced[] = [];
  const products: Product[] = [];
  for (let i = 0; i < count; i++) {
    const place = { gateway: await freePort(), admin: await freePort() };
    places.push(place);
    products.push(await start(place));
  }
  const balancer = await startBalancer(places);
  const allUp = () =>
    poll(
      () => balancer.countUp(),
      (up) => up === count,
      UP_WITHIN_MS,
    );
  await allUp();
  const unansweredOfKilled: number[] = [];
  const unanswered = async (product: Product) => {
    const counts = OPERATIONS.map((operation) =>
      metricOf(product, `guard_store_unanswered_total{operation="${operation}"}`),
    );
    return sum(await Promise.all(counts));
  };
  return {
    origin,
    balancer,
    async killAndStart(index) {
      const [place, product] = [places[index], products[index]];
      if (!place || !product) throw new Error(`no instance ${index}`);
      unansweredOfKilled.push(await unanswered(product));
      process.kill(product.pid, 'SIGKILL');
      // The process has already ended, so this call only removes its folder.
      await product.stop();
      products[index] = await start(place);
      await allUp();
    },
    async countUnanswered() {
      return sum([...unansweredOfKilled, ...(await Promise.all(products.map(unanswered)))]);
    },
    async close() {
      await balancer.close();
      await Promise.all(products.map((product) => product.stop()));
      await redis.stop();
      await origin.close();
    },
  };
}
