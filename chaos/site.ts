import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { residentMiB } from '../bench/measure/resident-memory.ts';
import { poll, send } from '../test/kit/http.ts';
import { type Product, startProduct } from '../test/kit/product/start-product.ts';
import { productSettings } from '../test/kit/product/product-settings.ts';
import { type Crowd, type CrowdOptions, startCrowd } from './crowd.ts';
import type { Claim, Outcome, Tally } from './fault.ts';
import type { Trial } from './trial.ts';
import { type Behaviour, type Origin, startOrigin } from './origin.ts';
import { DETECT_RULES } from './settings.ts';

/** Time limit for changes that Guard makes by itself. It is long, because the machine may be busy. */
const PATIENCE_MS = 20_000;

export interface SiteOptions {
  readonly behave?: Behaviour;
  /** The default is {@link DETECT_RULES}. */
  readonly rules?: readonly unknown[];
  /** Replaces top-level settings of guard.yaml. Without `analytics` in them, no database is started. */
  readonly topLevelSettings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A Guard in front of an origin, and visitors. */
export interface Site {
  readonly origin: Origin;
  readonly product: Product;
  /** The URL of the gateway. */
  readonly url: string;
  /** The settings of this site with these rules. */
  settings(rules: readonly unknown[]): Record<string, unknown>;
  startCrowd(options?: CrowdOptions): Crowd;
  /** The value of a metric. 0 when there is no metric of this name. */
  metric(name: string): Promise<number>;
  /** Resolves with the value as soon as `isFine` accepts it. Rejects after 20 s. */
  waitForMetric(name: string, isFine: (value: number) => boolean): Promise<number>;
  outcome(traffic: Tally, claims: readonly Claim[]): Outcome;
}

/** Starts Guard and its origin. They are stopped at the end of the trial. */
export async function startSite(trial: Trial, options: SiteOptions = {}): Promise<Site> {
  const origin = await startOrigin(options.behave);
  trial.onEnd(() => origin.leave());
  const settings = (rules: readonly unknown[]) =>
    productSettings(origin.url, {
      rules,
      organisation: ONE_PLAYS_ALL,
      top: { analytics: undefined, ...options.topLevelSettings },
    });
  const product = await startProduct(settings(options.rules ?? DETECT_RULES), options.env);
  trial.onEnd(() => product.stop());
  const before = residentMiB(product.pid);
  const metric = (name: string) => metricOf(product, name);
  return {
    origin,
    product,
    url: product.addresses.gateway,
    settings,
    startCrowd: (crowdOptions) => {
      const crowd = startCrowd(product.addresses.gateway, crowdOptions);
      trial.onEnd(() => crowd.leave());
      return crowd;
    },
    metric,
    waitForMetric: (name, isFine) => poll(() => metric(name), isFine, PATIENCE_MS),
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
