import { chromeHttp, HOME_IP } from '../../test/kit/visitors.ts';
import { look } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import type { Behaviour } from '../origin.ts';
import { startSite } from '../site.ts';

const TIMES = 20;
/** Must not be seen by anybody. */
const MARK = 'GARBAGE';
const HEAD = 'HTTP/1.1 200 OK\r\n';
const LONG = 'x'.repeat(128 * 1024);

/** What the origin writes, and what the visitor must get: a status, or 0 for a connection that is cut. */
const GARBAGE: Readonly<Record<string, readonly [bytes: string, due: number]>> = {
  'no http': [`220 ${MARK} ready\r\n`, 502],
  'nothing at all': ['', 502],
  'half a head': [`${HEAD}Server: ${MARK}`, 502],
  'two lengths': [`${HEAD}Content-Length: 3\r\nContent-Length: 7\r\n\r\n${MARK}`, 502],
  'a length that is none': [`${HEAD}Content-Length: 0x7\r\n\r\n${MARK}`, 502],
  'length and chunks': [
    `${HEAD}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n${MARK}`,
    502,
  ],
  'a coding nobody knows': [`${HEAD}Transfer-Encoding: ${MARK}\r\n\r\n${MARK}`, 502],
  'a folded line': [`${HEAD}A: b\r\n ${MARK}\r\nContent-Length: 0\r\n\r\n`, 502],
  'a head without end': [`${HEAD}A: ${LONG}`, 502],
  'a status that is none': [`HTTP/1.1 99 ${MARK}\r\nContent-Length: 0\r\n\r\n`, 502],
  'a body that stops': [`${HEAD}Content-Length: 9\r\n\r\nshort`, 0],
  'a chunk that is none': [`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`, 0],
  'a second answer': [
    `${HEAD}Content-Length: 2\r\n\r\nok${HEAD}Content-Length: 7\r\n\r\n${MARK}`,
    200,
  ],
};
const KINDS = Object.keys(GARBAGE);

const behave: Behaviour = ({ url = '', socket }) => {
  const kind = /^\/garbage\/(\d+)/.exec(url)?.[1];
  if (kind === undefined) return false;
  const [bytes] = GARBAGE[KINDS[Number(kind)] ?? ''] ?? [''];
  // A connection that stays open after the second answer is the dangerous one.
  if (bytes.includes(`ok${HEAD}`)) socket.write(bytes);
  else socket.end(bytes);
  return true;
};

export const originGarbage: Fault = {
  done: `the origin answers in ${KINDS.length} ways that are no answer, ${TIMES} times each`,
  async inflict(ground) {
    const site = await startSite(ground, { behave });
    const headers = { ...chromeHttp, 'x-forwarded-for': HOME_IP };
    const crowd = site.gather();
    await crowd.seeMore(200);
    const unexpected: string[] = [];
    let leaked = 0;
    for (const [index, kind] of KINDS.entries()) {
      ground.say(kind);
      const [, due] = GARBAGE[kind] ?? ['', 0];
      const paths = Array.from({ length: TIMES }, (_, i) => `/garbage/${index}/${i}`);
      const sights = await Promise.all(paths.map((path) => look(site.url, path, headers)));
      for (const { status, body } of sights) {
        if (body.includes(MARK)) leaked += 1;
        if (status !== due) unexpected.push(`${kind}: ${status}`);
      }
    }
    await crowd.seeMore(200);
    const traffic = await crowd.leave();
    const asked = KINDS.length * TIMES;
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'no other visitor sees anything of it'),
      {
        what: 'it is a 502, or cut off where the answer had begun',
        seen: `${asked - unexpected.length} of ${asked}${[...new Set(unexpected)].map((text) => `; ${text}`).join('')}`,
        holds: unexpected.length === 0,
      },
      { what: 'nobody is shown the garbage', seen: `${leaked} times`, holds: leaked === 0 },
    ]);
  },
};
