import { afterAll, beforeAll } from 'vitest';
import { writeUpload } from '../../../validator/src/challenge/testing/answers.ts';
import { person, uploadOf } from '../../attack/challenged-visitor.ts';
import { type Answer, poll, send } from '../http.ts';
import { metricOf } from './metric-of.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../origins/recording-origin.ts';
import { type RedisServer, startRedis } from '../peers/redis-server.ts';
import { type Product, startProduct } from './start-product.ts';
import { productSettings } from './product-settings.ts';

/** Three products that share one Redis. The fields are set before the first test. */
export interface SharedStore {
  origin: RecordingOrigin;
  redis: RedisServer;
  instances: Product[];
  /** Starts one more product. `top` replaces settings of the top level. */
  start: (top?: Readonly<Record<string, unknown>>) => Promise<Product>;
}

/** Starts the products before the tests of the calling file, and ends them after the last test. */
export function useSharedStore(
  rules: readonly unknown[],
  organisation?: Readonly<Record<string, unknown>>,
): SharedStore {
  const shared = {} as SharedStore; // empty until beforeAll has run, so no test sees it empty
  beforeAll(async () => {
    shared.origin = await startRecordingOrigin();
    shared.redis = await startRedis();
    shared.start = (top) => {
      const store = { engine: 'redis', url: shared.redis.url };
      const settings = productSettings(shared.origin.url, {
        rules,
        organisation,
        top: { store, analytics: undefined, ...top },
      });
      return startProduct(settings);
    };
    // The products start one after the other, because three at once would wait for the same processors.
    shared.instances = [];
    for (let i = 0; i < 3; i++) shared.instances.push(await shared.start());
  });
  afterAll(async () => {
    await Promise.all(shared.instances.map((instance) => instance.stop()));
    await shared.redis.stop();
    await shared.origin.close();
  });
  return shared;
}

/** An instance, or a balancer in front of several instances. */
interface ServedGuard {
  readonly addresses: { readonly gateway: string };
}

/** The values of a challenge page. */
export interface Page {
  readonly ticket: string;
  readonly session: string;
}

/** Sends a navigation of a person through the gateway of one instance, on a new connection. */
export function navigate(
  { addresses }: ServedGuard,
  path: string,
  { cookie, ip = '203.0.113.7' }: { readonly cookie?: string; readonly ip?: string } = {},
): Promise<Answer> {
  return send(`${addresses.gateway}${path}`, {
    headers: {
      ...person.headers,
      host: 'shop.example',
      'sec-fetch-mode': 'navigate',
      connection: 'close',
      'x-forwarded-for': ip,
      ...(cookie !== undefined && { cookie: `_guard=${cookie}` }),
    },
  });
}

/** Sends a navigation without a session to one instance, and returns the challenge page. */
export async function challengeAt(instance: ServedGuard): Promise<Page> {
  const page = await navigate(instance, '/');
  const ticket = /data-ticket="([^"]+)"/.exec(page.body)?.[1] ?? '';
  const session = /_guard=([^;]+)/.exec(String(page.headers['set-cookie']))?.[1] ?? '';
  if (ticket === '' || session === '') throw new Error(`no challenge: ${page.status}`);
  return { ticket, session };
}

/** Sends the upload of a page to any instance, with the evidence of a person's browser or of another browser. */
export function answerAt({ addresses }: ServedGuard, page: Page, who = person): Promise<Answer> {
  return send(`${addresses.gateway}/.guard/verify`, {
    method: 'POST',
    headers: { ...person.headers, host: 'shop.example', 'content-type': 'application/json' },
    body: writeUpload(uploadOf({ ...page, reference: '' }, who)),
  });
}

/** Passes the challenge at one instance, and returns the session. */
export async function passAt(instance: ServedGuard): Promise<string> {
  const page = await challengeAt(instance);
  const answer = await answerAt(instance, page);
  if (answer.body !== '{"result":"reload"}') throw new Error(`${answer.status}: ${answer.body}`);
  return page.session;
}

/** Resolves when every instance reports that its store is there, or that its store is away. */
export async function storeIs(
  state: 'there' | 'away',
  instances: readonly Product[],
): Promise<void> {
  const value = state === 'away' ? 1 : 0;
  for (const instance of instances) {
    await poll(
      () => metricOf(instance, 'guard_store_away'),
      (now) => now === value,
    );
  }
}
