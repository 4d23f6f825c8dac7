import { chromeHttp, chromeHttps } from '../../test/kit/visitors/visitors.ts';
import type { Scheme, AttackRequest } from './testbed.ts';
import type { Attack } from './technique.ts';

export const BOTH = ['http', 'https'] as const;

export const IN_RANGES = { range: 'bytes=0-0,1-99999' };

export const browserOn = (scheme: Scheme) => (scheme === 'http' ? chromeHttp : chromeHttps);

/** Sends `count` requests, `atOnce` of them at the same time. */
export async function sendMany(
  { testbed, site, scheme, prefix }: Attack,
  count: number,
  requestOf: (index: number) => Partial<AttackRequest>,
  atOnce = count,
): Promise<number> {
  const request = { site, scheme, headers: browserOn(scheme) };
  const openIndexes = Array.from({ length: count }, (_, index) => index).values();
  const work = async () => {
    for (const index of openIndexes) {
      await testbed.send({ ...request, path: `${prefix}${index}`, ...requestOf(index) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return count;
}
