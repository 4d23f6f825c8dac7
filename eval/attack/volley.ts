import { chromeHttp, chromeHttps } from '../../test/kit/visitors.ts';
import type { Scheme, Shot } from './ground.ts';
import type { Field } from './technique.ts';

export const BOTH = ['http', 'https'] as const;

export const IN_RANGES = { range: 'bytes=0-0,1-99999' };

export const browserOn = (scheme: Scheme) => (scheme === 'http' ? chromeHttp : chromeHttps);

/** So many requests, `atOnce` of them at the same time. */
export async function volley(
  { ground, site, scheme, prefix }: Field,
  count: number,
  shotOf: (index: number) => Partial<Shot>,
  atOnce = count,
): Promise<number> {
  const shot = { site, scheme, headers: browserOn(scheme) };
  const left = Array.from({ length: count }, (_, index) => index).values();
  const work = async () => {
    for (const index of left) {
      await ground.send({ ...shot, path: `${prefix}${index}`, ...shotOf(index) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return count;
}
