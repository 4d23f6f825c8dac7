import { rowsOf } from '../../test/kit/sql.ts';
import { poll, send } from '../../test/kit/http.ts';
import { startProduct } from '../../test/kit/start-product.ts';
import { storySettings } from '../../test/kit/story-settings.ts';
import { startRelay } from './relay.ts';
import { startSite } from './site.ts';

/** The two sites: one challenges every session, the other only whom detection doubts. */
const STRICT_HOST = '127.0.0.1';
const PLAIN_HOST = 'localhost';
export type Protection = 'strict' | 'plain';

const RULES = [
  { name: 'strict', match: { host: STRICT_HOST }, detect: true, challenge: 'always' },
  { name: 'plain', match: { host: PLAIN_HOST }, detect: true },
];

/** Longest wait until an event can be found by SQL. */
const EVENTS_MS = 30_000;

/** What Guard recorded of one decision. */
export interface Decided {
  readonly path: string;
  readonly action: string;
  readonly block_reasons: readonly string[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Guard as its users run it, before a site of its own. */
export interface Ground {
  urlOf(protection: Protection, path: string): string;
  wasReached(path: string): boolean;
  /** Every decision on paths that begin so, once all so far can be found by SQL; oldest first. */
  decisions(pathPrefix: string): Promise<Decided[]>;
  /** From now on, what challenges upload is kept below the folder given at the start. */
  keepUploadsIn(folder: string): void;
  close(): Promise<void>;
}

/** Starts it; with `dump`, a relay before it keeps what is uploaded. */
export async function startGround(dump?: string): Promise<Ground> {
  const site = await startSite();
  const hosts = { hosts: [STRICT_HOST, PLAIN_HOST] };
  // All visits come from one network, and each is to be measured as if it came alone.
  const organisation = { challenge: { free_passes: false } };
  const settings = storySettings(site.url, { rules: RULES, site: hosts, organisation });
  const product = await startProduct(settings);
  const gateway = product.addresses.gateway;
  const relay = dump === undefined ? undefined : await startRelay(gateway, dump);
  const port = relay?.port ?? Number(new URL(gateway).port);
  let asked = 0;
  const urlOf: Ground['urlOf'] = (protection, path) =>
    `http://${protection === 'strict' ? STRICT_HOST : PLAIN_HOST}:${port}${path}`;
  return {
    urlOf,
    wasReached: (path) => site.wasReached(path),
    keepUploadsIn: (folder) => relay?.keepIn(folder),
    async decisions(pathPrefix) {
      // Events are written in order: what can be found behind all others says that they are there.
      const last = `${pathPrefix}last-${(asked += 1)}`;
      await send(urlOf('strict', last));
      const ask = () =>
        rowsOf<Decided>(
          product,
          `SELECT path, action, block_reasons, toFloat64(toUnixTimestamp64Milli(created_at)) AS at FROM events_distributed WHERE startsWith(path, '${pathPrefix}') ORDER BY created_at`,
        );
      const rows = await poll(ask, (found) => found.some(({ path }) => path === last), EVENTS_MS);
      return rows.filter(({ path }) => !path.startsWith(`${pathPrefix}last-`));
    },
    async close() {
      await relay?.close();
      await product.stop();
      await site.close();
    },
  };
}
