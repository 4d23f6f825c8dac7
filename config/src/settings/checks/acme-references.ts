import { z } from 'zod';
import { compileHosts } from '../../matching/host.ts';
import { canBeIssued, MAX_ACME_HOSTS } from '../sections/acme.ts';
import type { Contradiction } from './repeated.ts';

const unknownValue = z.unknown().optional();
const textList = z.array(z.string().catch('')).catch([]);

const Outline = z.object({
  tls: z.object({ acme: z.looseObject({ hosts: textList.optional() }) }),
  sites: z.array(z.object({ hosts: textList.catch([]) }).catch({ hosts: [] })).catch([]),
  store: z.looseObject({ engine: unknownValue, path: unknownValue }).optional().catch(undefined),
  analytics: z.looseObject({ engine: unknownValue }).optional().catch(undefined),
});

export function findAcmeContradictions(value: unknown): Contradiction[] {
  const outline = Outline.safeParse(value);
  if (!outline.success) return [];
  const { tls, sites, store, analytics } = outline.data;
  const { hosts } = tls.acme;
  const servedHosts = sites.flatMap((site) => site.hosts);
  const isServed = compileHosts([{ hosts: servedHosts, value: true }]);
  const unservedHosts = (hosts ?? []).flatMap((host, index) =>
    isServed(host) === true ? [] : [{ path: ['tls', 'acme', 'hosts', index], message: NOT_SERVED }],
  );
  const names = servedHosts.filter(canBeIssued).length;
  const isCounted = hosts === undefined && servedHosts.length > 0;
  const countProblems: Contradiction[] =
    isCounted && (names === 0 || names > MAX_ACME_HOSTS)
      ? [{ path: ['tls', 'acme'], message: names === 0 ? NO_NAME : TOO_MANY }]
      : [];
  const hasPlace =
    store?.engine === 'redis' || store?.path !== undefined || analytics?.engine === 'embedded';
  const placeProblems: Contradiction[] = hasPlace ? [] : [{ path: ['store'], message: NO_PLACE }];
  return [...unservedHosts, ...countProblems, ...placeProblems];
}

const NOT_SERVED = 'expected a host of a site: Guard answers the authority only for these';
const NO_NAME =
  'expected a site with an exact host name: no certificate can be issued for wildcards and addresses';
const TOO_MANY = `expected tls.acme.hosts with at most ${MAX_ACME_HOSTS} hosts; the sites have more`;
const NO_PLACE =
  'expected a place where keys and certificates outlast a restart, because authorities issue only a few a week: { engine: memory, path: ./store }, or engine: redis';
