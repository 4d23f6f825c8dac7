import { send } from '../../test/kit/http.ts';
import { startRecordingOrigin } from '../../test/kit/origins/recording-origin.ts';
import { startProduct } from '../../test/kit/product/start-product.ts';
import { productSettings } from '../../test/kit/product/product-settings.ts';
import { findEvents } from '../find-events.ts';
import { startRelay } from './relay.ts';

/** The strict site challenges every session. The plain site challenges only a session that detection doubts. */
const HOSTS = { strict: '127.0.0.1', plain: 'localhost' } as const;
export type Protection = keyof typeof HOSTS;

const RULES = [
  { name: 'strict', match: { host: HOSTS.strict }, detect: true, challenge: 'always' },
  { name: 'plain', match: { host: HOSTS.plain }, detect: true },
];

/** One decision in Guard's events. */
export interface RecordedDecision {
  readonly path: string;
  readonly action: string;
  readonly block_reasons: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Guard as users run it, in front of a site that records its visitors. */
export interface Testbed {
  urlOf(protection: Protection, path: string): string;
  /** Whether a request for this path reached the site. */
  wasReached(path: string): boolean;
  /** Returns all decisions so far on paths with this prefix, oldest first. */
  decisions(pathPrefix: string): Promise<RecordedDecision[]>;
  /** From this call on, uploads are kept in this folder. It is below the folder that was given at the start. */
  keepUploadsIn(folder: string): void;
  close(): Promise<void>;
}

/** With `dump`, a relay in front of Guard keeps the uploads in this folder. */
export async function startTestbed(dump?: string): Promise<Testbed> {
  const origin = await startRecordingOrigin();
  // All visits come from one network. No work is required, so that each visit is measured as if it were the only one.
  const organisation = { challenge: { free_passes: false } };
  const site = { hosts: Object.values(HOSTS) };
  const product = await startProduct(
    productSettings(origin.url, { rules: RULES, site, organisation }),
  );
  const gateway = product.addresses.gateway;
  const relay = dump === undefined ? undefined : await startRelay(gateway, dump);
  const port = relay?.port ?? Number(new URL(gateway).port);
  const urlOf: Testbed['urlOf'] = (protection, path) =>
    `http://${HOSTS[protection]}:${port}${path}`;
  return {
    urlOf,
    wasReached: (path) => origin.arrivals.some(({ url }) => url === path),
    keepUploadsIn: (folder) => relay?.keepIn(folder),
    decisions: (pathPrefix) =>
      findEvents<RecordedDecision>(
        product,
        pathPrefix,
        'action, block_reasons, toFloat64(toUnixTimestamp64Milli(created_at)) AS at',
        (path) => send(urlOf('strict', path)),
      ),
    async close() {
      await relay?.close();
      await product.stop();
      await origin.close();
    },
  };
}
