import { afterAll, beforeAll } from 'vitest';
import { asPageWrites } from '../../validator/src/challenge/testing/answers.ts';
import { person, uploadOf } from '../attack/challenged-visitor.ts';
import { type Answer, poll, send } from './http.ts';
import { metricOf } from './metric-of.ts';
import { type RecordingOrigin, startRecordingOrigin } from './recording-origin.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { type Product, startProduct } from './start-product.ts';
import { storySettings } from './story-settings.ts';

/** Three products, each its own process, that share one Redis; filled in before the first test. */
export interface SharedStore {
  origin: RecordingOrigin;
  redis: RedisServer;
  instances: Product[];
  /** Starts one more with the settings of all of them; `top` replaces what is to be another. */
  start: (top?: Readonly<Record<string, unknown>>) => Promise<Product>;
}

/** Starts them before the tests of the calling file, and ends them behind the last one. */
export function useSharedStore(rules: readonly unknown[]): SharedStore {
  const shared = {} as SharedStore; // empty until beforeAll has run, which every test comes after
  beforeAll(async () => {
    shared.origin = await startRecordingOrigin();
    shared.redis = await startRedis();
    shared.start = (top) => {
      const store = { engine: 'redis', url: shared.redis.url };
      const settings = storySettings(shared.origin.url, {
        rules,
        top: { store, analytics: undefined, ...top },
      });
      return startProduct(settings);
    };
    // One behind the other: three at once would only wait for the same processors.
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

/** An instance, or a balancer before several. */
interface Served {
  readonly addresses: { readonly gateway: string };
}

/** A challenge page as a person's browser was given it. */
export interface Page {
  readonly ticket: string;
  readonly session: string;
}

/** A person's navigation through the gateway of one instance. */
export function navigate(
  { addresses }: Served,
  path: string,
  { cookie, ip = '203.0.113.7' }: { readonly cookie?: string; readonly ip?: string } = {},
): Promise<Answer> {
  return send(`${addresses.gateway}${path}`, {
    headers: {
      ...person.headers,
      host: 'shop.example',
      'sec-fetch-mode': 'navigate',
      'x-forwarded-for': ip,
      ...(cookie !== undefined && { cookie: `_guard=${cookie}` }),
    },
  });
}

/** The challenge that one instance answers a stranger's navigation with. */
export async function challengeAt(instance: Served): Promise<Page> {
  const page = await navigate(instance, '/');
  const ticket = /data-ticket="([^"]+)"/.exec(page.body)?.[1] ?? '';
  const session = /_guard=([^;]+)/.exec(String(page.headers['set-cookie']))?.[1] ?? '';
  if (ticket === '' || session === '') throw new Error(`no challenge: ${page.status}`);
  return { ticket, session };
}

/** The upload of a page, given to any instance: a person's, or with what another browser measured. */
export function answerAt({ addresses }: Served, page: Page, who = person): Promise<Answer> {
  return send(`${addresses.gateway}/.guard/verify`, {
    method: 'POST',
    headers: { ...person.headers, host: 'shop.example', 'content-type': 'application/json' },
    body: asPageWrites(uploadOf({ ...page, reference: '' }, who)),
  });
}

/** A session that passed its challenge at one instance. */
export async function passAt(instance: Served): Promise<string> {
  const page = await challengeAt(instance);
  const answer = await answerAt(instance, page);
  if (answer.body !== '{"result":"reload"}') throw new Error(`${answer.status}: ${answer.body}`);
  return page.session;
}

/** Resolves when every instance has its store again, or has noticed that it is away. */
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
