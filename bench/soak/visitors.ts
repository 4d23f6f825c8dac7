import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { fillNumber } from '../measure/traffic.ts';
import { stranger } from '../visitors.ts';
import { knownBody } from './known-body.ts';
import type { Origins } from './origins.ts';
import { type Answer, judge, type Tally } from './tally.ts';

/**
 * The number of visitors. It is so low that each visitor comes back within seconds, and every cache soon has all
 * visitors.
 */
const VISITORS = 1000;
/** The number of connections. It is so high that a slow answer delays only one request in 128. */
const LANES = 128;
const UPLOAD_EVERY = 10;

export interface Visits {
  readonly url: string;
  readonly origins: Origins;
  readonly tally: Tally;
  readonly requestsPerS: number;
  /** The time in milliseconds of `performance.now()`. */
  readonly untilMs: number;
}

/** Visitors who come at random times and check every answer. Each keeps its session. */
export async function visit(visits: Visits): Promise<void> {
  const pool = new Pool(visits.url, { connections: LANES, pipelining: 1 });
  const sessions = new Array<string | undefined>(VISITORS).fill(undefined);
  let number = 0;
  const lane = async () => {
    let nextMs = performance.now();
    while (nextMs < visits.untilMs) {
      nextMs += (-Math.log(1 - Math.random()) * 1000 * LANES) / visits.requestsPerS;
      // A visitor who is late does not send the missed requests, because they would change the load.
      const nowMs = performance.now();
      nextMs = Math.max(nextMs, nowMs);
      await sleep(nextMs - nowMs);
      await ask(pool, ++number, sessions, visits);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await pool.close();
}

async function ask(
  pool: Pool,
  number: number,
  sessions: (string | undefined)[],
  { origins, tally }: Visits,
): Promise<void> {
  const visitor = number % VISITORS;
  const cookie = sessions[visitor];
  const expected = knownBody(number);
  const sentAtMs = performance.now();
  const answer = await untilWhole(
    pool.request({
      path: `/known/${number}`,
      headers: { ...headersOf(visitor), ...(cookie === undefined ? {} : { cookie }) },
      ...(number % UPLOAD_EVERY === 0
        ? { method: 'POST' as const, body: expected }
        : { method: 'GET' as const }),
    }),
    (session) => (sessions[visitor] ??= session),
    cookie !== undefined,
  );
  tally.add(judge(answer, expected, origins.wereUpSince(sentAtMs)));
}

async function untilWhole(
  response: Promise<Dispatcher.ResponseData>,
  keep: (session: string) => void,
  hadSession: boolean,
): Promise<Answer> {
  try {
    const { statusCode: status, headers, body } = await response;
    const [session] = [headers['set-cookie']].flat();
    if (session !== undefined) keep(session.split(';', 1)[0] ?? '');
    return {
      kind: 'whole',
      status,
      body: Buffer.from(await body.arrayBuffer()),
      newSession: hadSession && session !== undefined,
    };
  } catch {
    return { kind: 'cut off' };
  }
}

/** The header fields of one of the visitors, without a session. */
export function headersOf(visitor: number): Record<string, string> {
  const fields = Object.entries(stranger).map(([name, value]) => [
    name,
    fillNumber(value, visitor),
  ]);
  return Object.fromEntries(fields) as Record<string, string>; // the entries are pairs of strings
}
