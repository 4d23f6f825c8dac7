import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { residentMiB } from '../../bench/measure/resident-memory.ts';
import { poll } from '../../test/kit/http.ts';
import { chromeHttp, HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { requestOnce } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import { DETECT_RULES } from '../settings.ts';
import { type Site, startSite } from '../site.ts';

const RELOADS = 100;
/** Growth of memory that is allowed from the middle to the end. Each reload leaves garbage, which must be freed. */
const ROOM = 1.25;

export const configStorm: Fault = {
  done: `the settings change ${RELOADS} times under traffic, every second time into an unusable file`,
  async inflict(trial) {
    const site = await startSite(trial);
    const crowd = site.startCrowd();
    let wrong = 0;
    let halfwayMiB = 0;
    for (let turn = 1; turn <= RELOADS; turn++) {
      trial.say(`reload ${turn} of ${RELOADS}`);
      await reload(site, turn % 2 === 1 ? goodFile(site, turn) : badFile(site, turn));
      // After a bad file, the good one before it is still used.
      const turnInForce = turn % 2 === 1 ? turn : turn - 1;
      if (!(await isClosed(site, turnInForce)) || (await isClosed(site, turnInForce - 2)))
        wrong += 1;
      if (turn === RELOADS / 2) halfwayMiB = residentMiB(site.product.pid);
    }
    const traffic = await crowd.leave();
    const [applied, refused] = await outcomes(site);
    const endMiB = residentMiB(site.product.pid);
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'no request is dropped or answered wrongly'),
      {
        what: 'a good file is used, and a bad one does not replace it',
        seen: `${wrong} of ${RELOADS} times it was not`,
        holds: wrong === 0,
      },
      {
        what: 'every reload is counted as accepted or refused',
        seen: `${applied} applied, ${refused} refused`,
        holds: applied === RELOADS / 2 && refused === RELOADS / 2,
      },
      {
        what: 'the memory of earlier settings is freed',
        seen: `${halfwayMiB.toFixed(0)} MiB after ${RELOADS / 2} changes, ${endMiB.toFixed(0)} MiB after ${RELOADS}`,
        holds: endMiB < ROOM * halfwayMiB,
      },
    ]);
  },
};

const turnPath = (turn: number) => `/turn/${turn}`;

function goodFile(site: Site, turn: number): string {
  const closedRule = { name: `turn ${turn}`, match: { path: turnPath(turn) }, verdict: 'block' };
  return stringify(site.settings([closedRule, ...DETECT_RULES]));
}

/** Unusable files: cut off, misspelt, contradictory, empty, and not YAML at all. */
function badFile(site: Site, turn: number): string {
  const good = stringify(site.settings(DETECT_RULES));
  const bad = [
    good.slice(0, good.length / 2),
    `observ: true\n${good}`,
    good.replace('organisation: acme', 'organisation: nobody'),
    '',
    '\0\x01{{{',
  ];
  return bad[(turn / 2) % bad.length] ?? '';
}

/** Renames the new file into place, so that no reader gets half of it. Then it sends the signal. */
async function reload(site: Site, text: string): Promise<void> {
  const { folder, pid } = site.product;
  const count = async () => {
    const [applied, refused] = await outcomes(site);
    return applied + refused;
  };
  const countBefore = await count();
  await writeFile(join(folder, 'next.yaml'), text);
  await rename(join(folder, 'next.yaml'), join(folder, 'guard.yaml'));
  process.kill(pid, 'SIGHUP');
  await poll(count, (now) => now > countBefore, 10_000);
}

async function outcomes(site: Site): Promise<readonly [applied: number, refused: number]> {
  return [
    await site.metric('guard_reloads_total{outcome="applied"}'),
    await site.metric('guard_reloads_total{outcome="refused"}'),
  ];
}

async function isClosed(site: Site, turn: number): Promise<boolean> {
  const headers = { ...chromeHttp, 'x-forwarded-for': HOME_IP };
  return (await requestOnce(site.url, turnPath(turn), headers)).status === 403;
}
