import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { chromeHttp, HOME_IP } from '../test/kit/visitors.ts';
import type { Tally } from './fault.ts';
import { answerTo } from './origin.ts';

/** What a visitor saw of one request. */
export interface Sight {
  readonly path: string;
  /** Of `performance.now()`. */
  readonly sentAtMs: number;
  /** 0 when the connection broke before the answer was whole, or nothing came for half a minute. */
  readonly status: number;
  readonly body: string;
}

/** What was wrong with an answer, in a few words; undefined: nothing. */
export type Judge = (sight: Sight) => string | undefined;

/** A path that nobody may see, by the settings of every fault: that it is 403 shows that somebody decides. */
export const CLOSED = '/closed/';
const CLOSED_EVERY = 5;
const LANES = 8;
/** Between two requests of one visitor: some 300 requests a second in all. */
const PAUSE_MS = 20;
const PATIENCE_MS = 30_000;

/** Nothing is the matter: pages come from the origin, and what is closed is closed. */
export const asUsual: Judge = ({ path, status, body }) => {
  if (status === 0) return 'cut off';
  if (path.startsWith(CLOSED)) return status === 403 ? undefined : `${status} where 403 was due`;
  if (status !== 200) return `status ${status}`;
  return body === answerTo(path) ? undefined : 'an answer to somebody else';
};

export interface CrowdOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly judge?: Judge;
}

/** Visitors on kept connections who come until they are told to leave. */
export interface Crowd {
  readonly tally: Tally;
  /** Resolves when so many more requests have been answered. */
  seeMore(requests: number): Promise<void>;
  /** Resolves when the last answer has come. */
  leave(): Promise<Tally>;
}

/** Sends visitors to a gateway; a Chrome at home, unless told otherwise. */
export function gather(url: string, options: CrowdOptions = {}): Crowd {
  const { judge = asUsual, headers = {} } = options;
  const wrong = new Map<string, number>();
  const tally = { requests: 0, wrong, slowestMs: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  let isOver = false;
  let number = 0;

  async function stay(): Promise<void> {
    const fields = { ...chromeHttp, 'x-forwarded-for': HOME_IP, ...headers };
    while (!isOver) {
      number += 1;
      const path = `${number % CLOSED_EVERY === 0 ? CLOSED : '/page/'}${number}`;
      const sight = await look(url, path, fields, agent);
      tally.requests += 1;
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - sight.sentAtMs);
      const fault = judge(sight);
      if (fault !== undefined) wrong.set(fault, (wrong.get(fault) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  }

  const lanes = Promise.all(Array.from({ length: LANES }, stay));
  return {
    tally,
    async seeMore(requests) {
      const until = tally.requests + requests;
      while (tally.requests < until) await sleep(PAUSE_MS);
    },
    async leave() {
      isOver = true;
      await lanes;
      agent.destroy();
      return tally;
    },
  };
}

/** One request of a visitor. Never rejects: a broken connection is something to be seen, too. */
export async function look(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Sight> {
  const sentAtMs = performance.now();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const asking = request(url + path, { headers, signal, ...(agent && { agent }) }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    const body = await text(answer);
    return { path, sentAtMs, status: answer.statusCode ?? 0, body };
  } catch {
    return { path, sentAtMs, status: 0, body: '' };
  }
}
