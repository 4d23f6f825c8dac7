import {
  chromeHttp,
  chromeHttps,
  pictureOfPage,
  scriptFetch,
} from '../../test/kit/visitors/visitors.ts';
import type { Technique } from './technique.ts';
import { BOTH, browserOn, IN_RANGES, sendMany } from './send-many.ts';

/**
 * The header fields of a page request over http that claims to fetch data. Only Accept differs from the request for a
 * page.
 */
const CALLED_DATA = { ...chromeHttp, accept: 'application/json' };

export const dataFromOneAddress: readonly Technique[] = [
  {
    name: 'calls each page data, after one page: 300 at once, and 300 more',
    sites: ['default'],
    schemes: ['http'],
    atMost: 52,
    async run(attack) {
      const from = attack.address(1);
      await attack.testbed.send({ ...attack, path: '/before', headers: chromeHttp, from });
      const data = () => ({ from, headers: scriptFetch });
      return (await sendMany(attack, 300, data)) + (await sendMany(attack, 300, data));
    },
  },
  {
    name: 'calls each page data and asks for it in two ranges, after one page: 400 pages',
    sites: ['default'],
    schemes: BOTH,
    atMost: 52,
    async run(attack) {
      const from = attack.address(1);
      const { testbed, scheme } = attack;
      await testbed.send({ ...attack, path: '/before', headers: browserOn(scheme), from });
      const headers = { ...(scheme === 'http' ? CALLED_DATA : scriptFetch), ...IN_RANGES };
      return sendMany(attack, 400, () => ({ from, headers }), 1);
    },
  },
];

export const jsonOfOneAddress: Technique = {
  name: 'asks for the JSON of an API, after one page: 600 answers',
  sites: ['default'],
  schemes: BOTH,
  // Open pages need their data, so Guard promises no limit.
  atMost: undefined,
  async run(attack) {
    const from = attack.address(1);
    const { testbed, scheme, prefix } = attack;
    await testbed.send({ ...attack, path: '/before', headers: browserOn(scheme), from });
    const headers = scheme === 'http' ? CALLED_DATA : scriptFetch;
    return sendMany(
      attack,
      600,
      (index) => ({ from, headers, path: `${prefix}${index}.json` }),
      50,
    );
  },
};

/** How a program can call a page. The fields, and what it adds to the path. */
const CLAIMS: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [chromeHttps, ''],
  [scriptFetch, ''],
  [{ ...scriptFetch, 'sec-fetch-site': 'cross-site' }, ''],
  [pictureOfPage, ''],
  [{ ...pictureOfPage, 'sec-fetch-site': 'cross-site' }, '/x.png'],
  [scriptFetch, '/x.js.map'],
  [{ ...scriptFetch, 'sec-fetch-dest': 'manifest' }, '/x.webmanifest'],
  [{ ...chromeHttps, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }, ''],
];

/** Makes each claim 130 times, `atOnce` of them at the same time, from one address. */
const allClaims = (name: string, atOnce: number): Technique => ({
  name,
  sites: ['default'],
  schemes: ['http'],
  // Five pages, 50 documents as data, 8 that no page can use, and one document every 12 seconds.
  atMost: 66,
  async run(attack) {
    const from = attack.address(1);
    let count = 0;
    for (const [headers, suffix] of CLAIMS) {
      const start = count;
      const request = (index: number) => ({
        from,
        headers,
        path: `${attack.prefix}${start + index}${suffix}`,
      });
      count += await sendMany(attack, 130, request, atOnce);
    }
    return count;
  },
});

export const allClaimsOfOneAddress: readonly Technique[] = [
  allClaims('makes eight claims about its pages, 130 pages each, one after the other', 1),
  allClaims('the same, 130 pages at once', 130),
];

export const dataFromManyAddresses: readonly Technique[] = [
  {
    name: 'calls each page data, from 200 addresses with one session of a challenge page, 20 pages each',
    sites: ['default'],
    schemes: ['http'],
    // 51 pages for each of four networks, and the free pages of the client shape.
    atMost: 310,
    async run(attack) {
      const { testbed, scheme } = attack;
      const requestBefore = {
        site: 'strict',
        scheme,
        path: '/before',
        headers: chromeHttp,
      } as const;
      const { session: cookie } = await testbed.send({
        ...requestBefore,
        from: attack.address(250),
      });
      const from = (index: number) => attack.address(index % 200);
      const request = (index: number) => ({ from: from(index), cookie, headers: CALLED_DATA });
      return sendMany(attack, 4_000, request, 50);
    },
  },
  {
    name: 'calls each page data, from 200 addresses, after a page at each of them, 20 pages each',
    sites: ['default'],
    schemes: ['http'],
    // After a page, each of at most 100 addresses gets 9 documents. After a challenge page it gets none.
    atMost: 1_000,
    async run(attack) {
      const { testbed, scheme } = attack;
      const from = (index: number) => attack.address(index % 200);
      const cookies: string[] = [];
      for (let index = 0; index < 200; index += 1) {
        const requestBefore = {
          site: 'default',
          scheme,
          path: '/before',
          headers: chromeHttp,
        } as const;
        const { session } = await testbed.send({ ...requestBefore, from: from(index) });
        cookies.push(session);
      }
      const request = (index: number) => {
        const cookie = cookies[index % 200] ?? '';
        return { from: from(index), cookie, headers: CALLED_DATA };
      };
      return sendMany(attack, 4_000, request, 50);
    },
  },
];
