import { ONE_PLAYS_ALL } from '../test/kit/policies.ts';
import { residentMiB } from '../bench/resident-memory.ts';
import { poll, send } from '../test/kit/http.ts';
import { type Product, startProduct } from '../test/kit/start-product.ts';
import { storySettings } from '../test/kit/story-settings.ts';
import { type Crowd, type CrowdOptions, gather } from './crowd.ts';
import type { Claim, Outcome, Tally } from './fault.ts';
import type { Ground } from './ground.ts';
import { type Behaviour, type Origin, startOrigin } from './origin.ts';
import { DETECT } from './settings.ts';

/** For what must happen by itself: a machine may be busy with other things besides. */
const PATIENCE_MS = 20_000;

export interface SiteOptions {
  readonly behave?: Behaviour;
  /** {@link DETECT}, when absent. */
  readonly rules?: readonly unknown[];
  /** Replaces settings of the file's first level. Without `analytics` there, no database is started. */
  readonly top?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Guard in front of an origin, and visitors. */
export interface Site {
  readonly origin: Origin;
  readonly product: Product;
  /** Its gateway. */
  readonly url: string;
  /** The settings with these rules, as the file has them. */
  settings(rules: readonly unknown[]): Record<string, unknown>;
  gather(options?: CrowdOptions): Crowd;
  /** 0 while it has none of that name. */
  metric(name: string): Promise<number>;
  /** Resolves with the value as soon as it is fine; rejects after 20 s. */
  metricIs(name: string, isFine: (value: number) => boolean): Promise<number>;
  outcome(traffic: Tally, claims: readonly Claim[]): Outcome;
}

/** Starts both; they are ended behind the fault. */
export async function startSite(ground: Ground, options: SiteOptions = {}): Promise<Site> {
  const origin = await startOrigin(options.behave);
  ground.behind(() => origin.leave());
  const settings = (rules: readonly unknown[]) =>
    storySettings(origin.url, {
      rules,
      organisation: ONE_PLAYS_ALL,
      top: { analytics: undefined, ...options.top },
    });
  const product = await startProduct(settings(options.rules ?? DETECT), options.env);
  ground.behind(() => product.stop());
  const before = residentMiB(product.pid);
  const metric = (name: string) => metricOf(product, name);
  return {
    origin,
    product,
    url: product.addresses.gateway,
    settings,
    gather: (crowd) => {
      const gathered = gather(product.addresses.gateway, crowd);
      ground.behind(() => gathered.leave());
      return gathered;
    },
    metric,
    metricIs: (name, isFine) => poll(() => metric(name), isFine, PATIENCE_MS),
    outcome: (traffic, claims) => ({
      claims,
      traffic,
      residentMiB: { before, after: residentMiB(product.pid) },
    }),
  };
}

async function metricOf({ addresses }: Product, name: string): Promise<number> {
  const { body } = await send(`${addresses.admin}/metrics`);
  const line = body.split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
