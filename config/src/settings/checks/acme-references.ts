import { z } from 'zod';
import { compileHosts } from '../../matching/host.ts';
import { canBeIssued, MAX_ACME_HOSTS } from '../sections/acme.ts';
import type { Contradiction } from './repeated.ts';

const anything = z.unknown().optional();
const texts = z.array(z.string().catch('')).catch([]);

/** The settings that the checks of `tls.acme` need, as far as they can be read. */
const Outline = z.object({
  tls: z.object({ acme: z.looseObject({ hosts: texts.optional() }) }),
  sites: z.array(z.object({ hosts: texts.catch([]) }).catch({ hosts: [] })).catch([]),
  store: z.looseObject({ engine: anything, path: anything }).optional().catch(undefined),
  analytics: z.looseObject({ engine: anything }).optional().catch(undefined),
});

/** Contradictions between `tls.acme` and the rest of plain settings data of any shape. */
export function findAcmeContradictions(value: unknown): Contradiction[] {
  const read = Outline.safeParse(value);
  if (!read.success) return [];
  const { tls, sites, store, analytics } = read.data;
  const { hosts } = tls.acme;
  const served = sites.flatMap((site) => site.hosts);
  const isServed = compileHosts([{ hosts: served, value: true }]);
  const strangers = (hosts ?? []).flatMap((host, index) =>
    isServed(host) === true ? [] : [{ path: ['tls', 'acme', 'hosts', index], message: SERVED }],
  );
  const names = served.filter(canBeIssued).length;
  const isCounted = hosts === undefined && served.length > 0;
  const count: Contradiction[] =
    isCounted && (names === 0 || names > MAX_ACME_HOSTS)
      ? [{ path: ['tls', 'acme'], message: names === 0 ? NO_NAME : TOO_MANY }]
      : [];
  const hasPlace =
    store?.engine === 'redis' || store?.path !== undefined || analytics?.engine === 'embedded';
  const lost: Contradiction[] = hasPlace ? [] : [{ path: ['store'], message: NO_PLACE }];
  return [...strangers, ...count, ...lost];
}

const SERVED = 'expected a host of a site: Guard answers the authority only for these';
const NO_NAME =
  'expected a site with an exact host name: no certificate can be issued for wildcards and addresses';
const TOO_MANY = `expected tls.acme.hosts with at most ${MAX_ACME_HOSTS} hosts; the sites have more`;
const NO_PLACE =
  'expected a place where keys and certificates outlast a restart, because authorities issue only a few a week: { engine: memory, path: ./store }, or engine: redis';
