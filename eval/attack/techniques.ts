import { setTimeout as pause } from 'node:timers/promises';
import { chromeHttp, inOrderOf } from '../../test/kit/visitors/visitors.ts';
import {
  allClaimsOfOneAddress,
  dataFromManyAddresses,
  dataFromOneAddress,
  jsonOfOneAddress,
} from './called-data.ts';
import { imitatingSolvers, imitators } from './imitators.ts';
import { BOTH, IN_RANGES, sendMany } from './send-many.ts';
import { RECORDED, solveWithSecret, visit } from './solver.ts';
import { solvers } from './solver-techniques.ts';
import type { Attack, Technique } from './technique.ts';
import { type AttackRequest, SITES } from './testbed.ts';

const PICTURE_HEADERS = {
  ...RECORDED.headers,
  accept: 'image/*',
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
};

/** Adds the header fields of a page that the recording lacks. */
const PAGE_HEADERS = {
  ...RECORDED.headers,
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate',
};
const CURL_HEADERS = { accept: '*/*', 'user-agent': RECORDED.headers['user-agent'] ?? '' };
const VIA = { via: '1.1 proxy' };

/** Returns one of 1,000 addresses. */
const addressOf = (attack: Attack, index: number) =>
  attack.address(index % 250).replace('.0.', `.${1 + Math.floor(index / 250)}.`);

/** Passes a challenge from its own address, on a path whose requests are not counted. Returns the session. */
const createPass = (attack: Attack, changes: Partial<AttackRequest> = {}) =>
  visit(attack, '/before', solveWithSecret, { from: attack.address(250), ...changes });

interface PassUse {
  readonly count: number;
  /** How many requests run at the same time. By default all run at the same time. */
  readonly atOnce?: number;
  /** The fields in which the visit that creates the pass differs. */
  readonly pass?: Partial<AttackRequest>;
  /** The fields in which the counted requests differ. */
  readonly request?: Partial<AttackRequest>;
}

/** Sends `count` requests with one pass, from the address of the pass. */
function usePass({ count, atOnce, pass, request }: PassUse): Technique['run'] {
  return async (attack) => {
    const from = attack.address(250);
    const cookie = await createPass(attack, pass);
    const wholeRequest = { from, cookie, headers: RECORDED.headers, ...request };
    return sendMany(attack, count, () => wholeRequest, atOnce);
  };
}

interface Walk {
  readonly count: number;
  readonly atOnce: number;
  readonly pauseMs: () => number;
  /** Whether every tenth burst also loads a picture. */
  readonly picture?: boolean;
  /** Whether each request has a Referer. */
  readonly referer?: boolean;
}

/** Requests pages with one pass, in bursts of `atOnce`, with a pause after each burst. */
function walk({ count, atOnce, pauseMs, picture, referer }: Walk): Technique['run'] {
  return async (attack) => {
    const from = attack.address(250);
    const cookie = await createPass(attack);
    const link = referer && { referer: `http://${SITES[attack.site]}/` };
    const request = { from, cookie, headers: { ...RECORDED.headers, ...link } };
    for (let first = 0; first < count; first += atOnce) {
      const pathOf = (index: number) => ({ path: `${attack.prefix}${first + index}` });
      await sendMany(attack, atOnce, (index) => ({ ...request, ...pathOf(index) }));
      if (picture && first % 10 === 0) {
        const headers = { ...PICTURE_HEADERS, ...link };
        await attack.testbed.send({ ...attack, ...request, headers, path: '/picture.png' });
      }
      await pause(pauseMs());
    }
    return count;
  };
}

const burstPause = () => 1_500 + 3_000 * Math.random() ** 2;

export const techniques: readonly Technique[] = [
  {
    name: 'copies a browser’s header fields, one address, 600 pages',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 5,
    run: (attack) => sendMany(attack, 600, () => ({ from: attack.address(1) })),
  },
  {
    name: 'the same from 200 addresses, one page each',
    sites: ['default'],
    schemes: BOTH,
    atMost: 100,
    run: (attack) => sendMany(attack, 200, (index) => ({ from: attack.address(index) })),
  },
  ...imitators,
  ...dataFromOneAddress,
  ...allClaimsOfOneAddress,
  jsonOfOneAddress,
  ...solvers,
  ...imitatingSolvers,
  {
    name: 'one pass, one address, 2,000 pages',
    sites: ['default', 'strict'],
    schemes: ['http'],
    atMost: 600,
    run: usePass({ count: 2_000, atOnce: 50 }),
  },
  {
    name: 'one pass walks through the site at regular intervals, without parts of pages',
    sites: ['default'],
    schemes: ['http'],
    atMost: 10,
    run: walk({ count: 30, atOnce: 1, pauseMs: () => 1_050 }),
  },
  {
    name: 'the same, with one picture for each ten pages and random pauses',
    sites: ['default'],
    schemes: ['http'],
    atMost: 10,
    run: walk({
      count: 30,
      atOnce: 1,
      pauseMs: () => 1_050 + 3_000 * Math.random() ** 2,
      picture: true,
    }),
  },
  {
    name: 'the same, with 25 pages at once before each pause',
    sites: ['default'],
    schemes: ['http'],
    atMost: 30,
    run: walk({ count: 700, atOnce: 25, pauseMs: burstPause, picture: true }),
  },
  {
    name: 'the same, and names a link for each page',
    sites: ['default'],
    schemes: ['http'],
    // The limit is the budget of one pass for an hour, plus the part of it that refills during the row.
    atMost: 625,
    run: walk({ count: 700, atOnce: 25, pauseMs: burstPause, picture: true, referer: true }),
  },
  {
    name: 'one pass, one address, 8,000 pages that are called pictures',
    sites: ['default'],
    schemes: ['http'],
    // The limit is ten documents for each page of the budget, plus up to 50 requests that run when the budget ends.
    atMost: 6_050,
    run: usePass({ count: 8_000, atOnce: 50, request: { headers: PICTURE_HEADERS } }),
  },
  {
    name: 'one pass, one address, 8,000 pages that are called pictures, in two ranges',
    sites: ['default'],
    schemes: ['http'],
    // The limit is that of the previous row, plus 100 documents, because the budget refills by 100 a minute.
    atMost: 6_150,
    run: usePass({
      count: 8_000,
      atOnce: 50,
      request: { headers: { ...PICTURE_HEADERS, ...IN_RANGES } },
    }),
  },
  {
    name: 'one pass, carried to 100 networks of 50 providers, one page each',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 4,
    async run(attack) {
      const cookie = await createPass(attack);
      const { headers } = RECORDED;
      const from = (index: number) => `127.${150 + (index % 50)}.${index}.7`;
      return sendMany(attack, 100, (index) => ({ from: from(index), cookie, headers }), 1);
    },
  },
  {
    name: 'one pass of https, handed to another TLS library',
    sites: ['strict'],
    schemes: ['https'],
    atMost: 0,
    run: usePass({ count: 50, request: { otherTls: true } }),
  },
  {
    name: 'one pass of http, handed to https',
    sites: ['strict'],
    schemes: ['https'],
    atMost: 0,
    run: usePass({ count: 50, pass: { scheme: 'http' } }),
  },
  {
    name: 'one pass, then with curl’s header fields and the browser’s User-Agent',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: usePass({
      count: 50,
      pass: { headers: PAGE_HEADERS },
      request: { headers: CURL_HEADERS },
    }),
  },
  {
    name: 'one pass that was made with Via, then with curl’s header fields and Via',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: usePass({
      count: 50,
      pass: { headers: { ...PAGE_HEADERS, ...VIA } },
      request: { headers: { ...VIA, ...CURL_HEADERS } },
    }),
  },
  {
    name: 'passes from one /24, as many as one processor makes in a minute',
    sites: ['strict'],
    schemes: ['http'],
    // Without memory-hard work the limit would be 20,000, because this program needs 3 ms for a pass.
    atMost: 300,
    async run(attack) {
      const before = process.cpuUsage();
      const spentMs = () => {
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      };
      let passCount = 0;
      while (spentMs() < 60_000) {
        await visit(attack, `${attack.prefix}${passCount}`, solveWithSecret, {
          from: attack.address(passCount),
        });
        passCount += 1;
      }
      return passCount;
    },
  },
  ...dataFromManyAddresses,
  {
    name: 'from 1,000 addresses, one page each, one shape of client',
    sites: ['default'],
    schemes: ['http'],
    atMost: 100,
    run: (attack) => sendMany(attack, 1_000, (index) => ({ from: addressOf(attack, index) }), 50),
  },
  {
    name: 'from 1,000 addresses, one page each, another order of header fields each time',
    sites: ['default'],
    schemes: ['http'],
    atMost: 230,
    run: (attack) =>
      sendMany(
        attack,
        1_000,
        (index) => ({ from: addressOf(attack, index), headers: inOrderOf(index, chromeHttp) }),
        50,
      ),
  },
];
