import { setTimeout as pause } from 'node:timers/promises';
import { chromeHttp, inOrderOf } from '../../test/kit/visitors.ts';
import { dataFromManyAddresses, dataFromOneAddress } from './called-data.ts';
import { type Shot, SITES } from './ground.ts';
import { imitatingSolvers, imitators } from './imitators.ts';
import { bySecret, RECORDED, visit } from './solver.ts';
import { solvers } from './solver-techniques.ts';
import type { Field, Technique } from './technique.ts';
import { BOTH, IN_RANGES, volley } from './volley.ts';

const PICTURE = { accept: 'image/*', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };

/** One of 1,000 addresses. */
const crowded = (field: Field, index: number) =>
  field.address(index % 250).replace('.0.', `.${1 + Math.floor(index / 250)}.`);

/** The recording has not all fields of a page. */
const WHOLE = {
  ...RECORDED.headers,
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate',
};

/** A session that passed, at an address of its own, on a path that is not counted. */
const passOf = (field: Field, over: Partial<Shot> = {}) =>
  visit(field, '/before', bySecret, { from: field.address(250), ...over });

/** Whole pages, for which no link is named unless `more` does, in bursts with a pause of so many milliseconds behind each. */
async function walk(
  field: Field,
  count: number,
  atOnce: number,
  pauseMs: () => number,
  picture?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const from = field.address(250);
  const cookie = await passOf(field);
  const headers = { ...RECORDED.headers, ...more };
  for (let first = 0; first < count; first += atOnce) {
    const path = (index: number) => ({ path: `${field.prefix}${first + index}` });
    const shot = { from, cookie, headers };
    await volley(field, atOnce, (index) => ({ ...shot, ...path(index) }));
    if (picture !== undefined && first % 10 === 0) {
      const load = { ...field, ...shot, headers: { ...headers, ...PICTURE }, path: picture };
      await field.ground.send(load);
    }
    await pause(pauseMs());
  }
  return count;
}

export const techniques: readonly Technique[] = [
  {
    name: 'copies a browser’s header fields, one address, 600 pages',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 5,
    run: (field) => volley(field, 600, () => ({ from: field.address(1) })),
  },
  {
    name: 'the same from 200 addresses, one page each',
    sites: ['default'],
    schemes: BOTH,
    atMost: 100,
    run: (field) => volley(field, 200, (index) => ({ from: field.address(index) })),
  },
  ...imitators,
  ...dataFromOneAddress,
  ...solvers,
  ...imitatingSolvers,
  {
    name: 'one pass, one address, 2,000 pages',
    sites: ['default', 'strict'],
    schemes: ['http'],
    atMost: 600,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field);
      return volley(field, 2_000, () => ({ from, cookie, headers: RECORDED.headers }), 50);
    },
  },
  {
    name: 'one pass walks through the site at regular intervals, without parts of pages',
    sites: ['default'],
    schemes: ['http'],
    atMost: 10,
    run: (field) => walk(field, 30, 1, () => 1_050),
  },
  {
    name: 'the same, with one picture for each ten pages and random pauses',
    sites: ['default'],
    schemes: ['http'],
    atMost: 10,
    run: (field) => walk(field, 30, 1, () => 1_050 + 3_000 * Math.random() ** 2, '/picture.png'),
  },
  {
    name: 'the same, with 25 pages at once before each pause',
    sites: ['default'],
    schemes: ['http'],
    atMost: 30,
    run: (field) => walk(field, 700, 25, () => 1_500 + 3_000 * Math.random() ** 2, '/picture.png'),
  },
  {
    name: 'the same, and names a link for each page',
    sites: ['default'],
    schemes: ['http'],
    // What one pass is good for in an hour, and what comes anew meanwhile.
    atMost: 625,
    run: (field) =>
      walk(field, 700, 25, () => 1_500 + 3_000 * Math.random() ** 2, '/picture.png', {
        referer: `http://${SITES[field.site]}/`,
      }),
  },
  {
    name: 'one pass, one address, 8,000 pages that are called pictures',
    sites: ['default'],
    schemes: ['http'],
    // Ten documents for each page of the budget. Up to 50 more were under way when the budget ended.
    atMost: 6_050,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field);
      const headers = { ...RECORDED.headers, ...PICTURE };
      return volley(field, 8_000, () => ({ from, cookie, headers }), 50);
    },
  },
  {
    name: 'one pass, one address, 8,000 pages that are called pictures, in two ranges',
    sites: ['default'],
    schemes: ['http'],
    // As above, and the budget refills by 100 a minute.
    atMost: 6_150,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field);
      const headers = { ...RECORDED.headers, ...PICTURE, ...IN_RANGES };
      return volley(field, 8_000, () => ({ from, cookie, headers }), 50);
    },
  },
  {
    name: 'one pass, carried to 100 networks of 50 providers, one page each',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 4,
    async run(field) {
      const cookie = await passOf(field);
      const { headers } = RECORDED;
      const from = (index: number) => `127.${150 + (index % 50)}.${index}.7`;
      return volley(field, 100, (index) => ({ from: from(index), cookie, headers }), 1);
    },
  },
  {
    name: 'one pass of https, handed to another TLS library',
    sites: ['strict'],
    schemes: ['https'],
    atMost: 0,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field);
      const { headers } = RECORDED;
      return volley(field, 50, () => ({ from, cookie, headers, otherTls: true }));
    },
  },
  {
    name: 'one pass of http, handed to https',
    sites: ['strict'],
    schemes: ['https'],
    atMost: 0,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field, { scheme: 'http' });
      const { headers } = RECORDED;
      return volley(field, 50, () => ({ from, cookie, headers }));
    },
  },
  {
    name: 'one pass, then with curl’s header fields and the browser’s User-Agent',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    async run(field) {
      const from = field.address(250);
      const cookie = await passOf(field, { headers: WHOLE });
      const headers = { accept: '*/*', 'user-agent': RECORDED.headers['user-agent'] ?? '' };
      return volley(field, 50, () => ({ from, cookie, headers }));
    },
  },
  {
    name: 'one pass that was made with Via, then with curl’s header fields and Via',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    async run(field) {
      const from = field.address(250);
      const via = { via: '1.1 proxy' };
      const cookie = await passOf(field, { headers: { ...WHOLE, ...via } });
      const headers = { ...via, accept: '*/*', 'user-agent': RECORDED.headers['user-agent'] ?? '' };
      return volley(field, 50, () => ({ from, cookie, headers }));
    },
  },
  {
    name: 'passes from one /24, as many as one processor makes in a minute',
    sites: ['strict'],
    schemes: ['http'],
    // Without work it would be 20,000: a pass takes such a program 3 ms.
    atMost: 300,
    async run(field) {
      const before = process.cpuUsage();
      const spentMs = () => {
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      };
      let made = 0;
      while (spentMs() < 60_000) {
        await visit(field, `${field.prefix}${made}`, bySecret, { from: field.address(made) });
        made += 1;
      }
      return made;
    },
  },
  // Last: the site is under pressure for a minute behind them.
  ...dataFromManyAddresses,
  {
    name: 'from 1,000 addresses, one page each, one shape of client',
    sites: ['default'],
    schemes: ['http'],
    atMost: 100,
    run: (field) => volley(field, 1_000, (index) => ({ from: crowded(field, index) }), 50),
  },
  {
    name: 'from 1,000 addresses, one page each, another order of header fields each time',
    sites: ['default'],
    schemes: ['http'],
    atMost: 230,
    run: (field) =>
      volley(
        field,
        1_000,
        (index) => ({ from: crowded(field, index), headers: inOrderOf(index, chromeHttp) }),
        50,
      ),
  },
];
