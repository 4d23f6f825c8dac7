import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { chromeHttp, HOME_IP } from '../test/kit/visitors/visitors.ts';
import type { Tally } from './fault.ts';
import { answerTo } from './origin.ts';

/** One request and its answer, as the visitor saw it. */
export interface SeenAnswer {
  readonly path: string;
  /** A time of `performance.now()`. */
  readonly sentAtMs: number;
  /** 0 when the connection broke before the answer was whole, or nothing came for half a minute. */
  readonly status: number;
  readonly body: string;
}

/** Returns what is wrong with an answer, in a few words. Undefined when it is right. */
export type AnswerCheck = (answer: SeenAnswer) => string | undefined;

/** The settings of every fault block this path. A 403 shows that requests are judged. */
export const CLOSED = '/closed/';
const CLOSED_EVERY = 5;
const LANES = 8;
/** Pause between two requests of one visitor. All visitors together send about 300 requests a second. */
const PAUSE_MS = 20;
const PATIENCE_MS = 30_000;

/** The check without a fault: pages come from the origin, and blocked paths give 403. */
export const checkUsual: AnswerCheck = ({ path, status, body }) => {
  if (status === 0) return 'cut off';
  if (path.startsWith(CLOSED)) return status === 403 ? undefined : `${status} where 403 was due`;
  if (status !== 200) return `status ${status}`;
  return body === answerTo(path) ? undefined : 'the answer to another request';
};

export interface CrowdOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly check?: AnswerCheck;
}

/** Visitors on kept connections who send requests until `leave` is called. */
export interface Crowd {
  readonly tally: Tally;
  /** Resolves when this number of further requests has been answered. */
  seeMore(requests: number): Promise<void>;
  /** Resolves when the last answer has come. */
  leave(): Promise<Tally>;
}

/** Sends visitors to a gateway. By default they are Chrome on a home connection. */
export function startCrowd(url: string, options: CrowdOptions = {}): Crowd {
  const { check = checkUsual, headers = {} } = options;
  const wrong = new Map<string, number>();
  const tally = { requests: 0, wrong, slowestMs: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  let isOver = false;
  let number = 0;

  async function visitUntilLeft(): Promise<void> {
    const fields = { ...chromeHttp, 'x-forwarded-for': HOME_IP, ...headers };
    while (!isOver) {
      number += 1;
      const path = `${number % CLOSED_EVERY === 0 ? CLOSED : '/page/'}${number}`;
      const answer = await requestOnce(url, path, fields, agent);
      tally.requests += 1;
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - answer.sentAtMs);
      const fault = check(answer);
      if (fault !== undefined) wrong.set(fault, (wrong.get(fault) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  }

  const lanes = Promise.all(Array.from({ length: LANES }, visitUntilLeft));
  return {
    tally,
    async seeMore(requests) {
      const untilRequests = tally.requests + requests;
      while (tally.requests < untilRequests) await sleep(PAUSE_MS);
    },
    async leave() {
      isOver = true;
      await lanes;
      agent.destroy();
      return tally;
    },
  };
}

/** Sends one request of a visitor. Never rejects, because a broken connection is a result too. */
export async function requestOnce(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<SeenAnswer> {
  const sentAtMs = performance.now();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const clientRequest = request(url + path, { headers, signal, ...(agent && { agent }) }).end();
    const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
    const body = await text(answer);
    return { path, sentAtMs, status: answer.statusCode ?? 0, body };
  } catch {
    return { path, sentAtMs, status: 0, body: '' };
  }
}
