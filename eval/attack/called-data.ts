import { chromeHttp, inOrderOf, scriptFetch } from '../../test/kit/visitors.ts';
import type { Technique } from './technique.ts';
import { BOTH, browserOn, IN_RANGES, volley } from './volley.ts';

/** A page over http that says it is data: only Accept tells them apart. */
const CALLED_DATA = { ...chromeHttp, accept: 'application/json' };

export const dataFromOneAddress: readonly Technique[] = [
  {
    name: 'calls each page data, after one page: 300 at once, and 300 more',
    sites: ['default'],
    schemes: ['http'],
    atMost: 100,
    async run(field) {
      const from = field.address(1);
      await field.ground.send({ ...field, path: '/before', headers: chromeHttp, from });
      const data = () => ({ from, headers: scriptFetch });
      return (await volley(field, 300, data)) + (await volley(field, 300, data));
    },
  },
  {
    name: 'calls each page data and asks for it in two ranges, after one page: 400 pages',
    sites: ['default'],
    schemes: BOTH,
    atMost: 52,
    async run(field) {
      const from = field.address(1);
      const { ground, scheme } = field;
      await ground.send({ ...field, path: '/before', headers: browserOn(scheme), from });
      const headers = { ...(scheme === 'http' ? CALLED_DATA : scriptFetch), ...IN_RANGES };
      return volley(field, 400, () => ({ from, headers }), 1);
    },
  },
];

/** They use up what the shape of Chrome has, on a site with free pages. */
export const dataFromManyAddresses: readonly Technique[] = [
  {
    name: 'calls each page data, from 200 addresses with one session of a challenge page, 20 pages each',
    sites: ['default'],
    schemes: ['http'],
    // 51 in each of four networks, and the pages of the shape.
    atMost: 310,
    async run(field) {
      const { ground, scheme } = field;
      const asked = { site: 'strict', scheme, path: '/before', headers: chromeHttp } as const;
      const { session: cookie } = await ground.send({ ...asked, from: field.address(250) });
      const from = (index: number) => field.address(index % 200);
      const shot = (index: number) => ({ from: from(index), cookie, headers: CALLED_DATA });
      return volley(field, 4_000, shot, 50);
    },
  },
  {
    name: 'calls each page data, from 200 addresses, after a page at each of them, 20 pages each',
    sites: ['default'],
    schemes: ['http'],
    // A page opens 100 addresses at most, with 9 documents each. A challenge page opens none.
    atMost: 1_000,
    async run(field) {
      const { ground, scheme } = field;
      const from = (index: number) => field.address(index % 200);
      const cookies: string[] = [];
      // A shape that no row before has used up: else all pages are challenges.
      const headers = inOrderOf(77, chromeHttp);
      for (let index = 0; index < 200; index += 1) {
        const asked = { site: 'default', scheme, path: '/before', headers } as const;
        const { session } = await ground.send({ ...asked, from: from(index) });
        cookies.push(session);
      }
      const shot = (index: number) => {
        const cookie = cookies[index % 200] ?? '';
        return { from: from(index), cookie, headers: { ...headers, accept: CALLED_DATA.accept } };
      };
      return volley(field, 4_000, shot, 50);
    },
  },
];
