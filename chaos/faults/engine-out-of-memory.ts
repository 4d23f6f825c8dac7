import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childrenOf } from '../../test/kit/children.ts';
import { type Answer, send } from '../../test/kit/http.ts';
import type { Product } from '../../test/kit/product/start-product.ts';
import { ANALYTICS_KEY } from '../../test/kit/product/product-settings.ts';
import { everyAnswerIsRight, type Fault, missingProgram } from '../fault.ts';
import { countWhenAllAre, untilRecorded } from '../recorded.ts';
import { WITH_DATABASE } from '../settings.ts';
import { startSite } from '../site.ts';

const ENOUGH = 200;
const HUNGRY = 'SELECT length(groupArray(number)) FROM numbers(400000000)';
const AT_ONCE = 6;
/** Memory that the process may use in addition to its present memory. */
const ROOM_BYTES = 64 * 1024 * 1024;
/** ClickHouse: "Memory limit exceeded" and "cannot allocate memory". */
const WORDS = /Code: (?:241|173)\b/;

export const engineOutOfMemory: Fault = {
  done: `queries need more memory than they may have, ${AT_ONCE} at once, twice; the second time the database's process gets no more address space (prlimit --as)`,
  hindrance: missingProgram('prlimit'),
  async inflict(trial) {
    const site = await startSite(trial, { topLevelSettings: WITH_DATABASE });
    const { product } = site;
    const crowd = site.startCrowd();
    await untilRecorded(product);
    trial.say('beyond the limit of the account');
    const answersLimited = await askAll(product);
    await crowd.seeMore(ENOUGH);

    trial.say('beyond the limit of the process');
    const [engine] = childrenOf(product.pid);
    if (engine === undefined) throw new Error('the database has no process');
    const bytes = addressSpace(engine) + ROOM_BYTES;
    execFileSync('prlimit', ['--pid', String(engine), `--as=${bytes}:`]);
    const answersStarved = await askAll(product);
    await crowd.seeMore(ENOUGH);
    const isSame = childrenOf(product.pid).includes(engine);
    if (isSame) execFileSync('prlimit', ['--pid', String(engine), '--as=unlimited:']);
    const traffic = await crowd.leave();
    const { rows, requests } = await countWhenAllAre(product, traffic.requests);
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic),
      {
        what: 'a query beyond its limit fails with the message of the database',
        seen: inWords(answersLimited),
        holds: answersLimited.every(({ body }) => WORDS.test(body)),
      },
      {
        what: 'a query at a database without memory fails with that reason',
        seen: inWords(answersStarved),
        holds: answersStarved.every(({ status, body }) => status >= 400 && body !== ''),
      },
      {
        what: 'the database answers again, and every request is one row',
        seen: `${isSame ? 'the same process' : 'another process'}, ${rows} rows with ${requests} different requests; ${traffic.requests} requests were sent`,
        holds: rows === traffic.requests && requests === traffic.requests,
      },
    ]);
  },
};

function askAll({ addresses }: Product): Promise<readonly Answer[]> {
  const headers = { authorization: `Bearer ${ANALYTICS_KEY}`, 'content-type': 'text/plain' };
  const ask = () => send(`${addresses.api}/query`, { method: 'POST', headers, body: HUNGRY });
  return Promise.all(Array.from({ length: AT_ONCE }, ask));
}

/** The count of each status and code, in words. */
function inWords(answers: readonly Answer[]): string {
  const kinds = Map.groupBy(answers, ({ status, body }) => {
    const code = /Code: \d+.{0,60}/.exec(body)?.[0] ?? body.slice(0, 60);
    return `${status} ${code}`;
  });
  return [...kinds].map(([kind, same]) => `${same.length} × ${kind}`).join(', ');
}

function addressSpace(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmSize:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
