import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFiles, residentMiB } from '../../bench/measure/resident-memory.ts';
import { poll } from '../../test/kit/http.ts';
import { chromeHttp, HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { checkUsual, requestOnce } from '../crowd.ts';
import { everyAnswerIsRight, type Fault } from '../fault.ts';
import type { Trial } from '../trial.ts';
import { type Site, startSite } from '../site.ts';

const WANTED_CONNECTIONS = 10_000;
const SCRIPT = join(import.meta.dirname, '..', 'slow-crowd.ts');
const STAY_MS = 18_000;
const LOOK_EVERY_MS = 100;
/** How much the memory of the gateway may grow: for each slow connection, and for everything else together. */
const PER_CONNECTION_MIB = 32 / 1024;
const OTHER_GROWTH_MIB = 64;

export const slowClients: Fault = {
  done: `${WANTED_CONNECTIONS.toLocaleString('en')} connections (or as many as the limit of open files allows) send headers byte by byte, an upload byte by byte, or nothing`,
  async inflict(trial) {
    const site = await startSite(trial);
    const { pid } = site.product;
    const crowd = site.startCrowd();
    await crowd.seeMore(200);
    const before = { files: openFiles(pid), mib: residentMiB(pid) };
    // Leaves room for other visitors, and for the connections of uploads to the origin.
    const count = Math.min(WANTED_CONNECTIONS, Math.floor(filesLimit() * 0.8));
    trial.say(`${count} clients come`);
    const [slow, peak] = await Promise.all([
      openSlowCrowd(trial, Number(new URL(site.url).port), count),
      watch(site, STAY_MS),
    ]);
    trial.say('the slow clients leave');
    await slow.end();
    const openAfter = await poll(
      () => Promise.resolve(openFiles(pid)),
      (files) => files <= before.files + 50,
      20_000,
    ).catch(() => openFiles(pid));
    const traffic = await crowd.leave();
    const boundMiB = before.mib + OTHER_GROWTH_MIB + count * PER_CONNECTION_MIB;
    return site.outcome(traffic, [
      everyAnswerIsRight(traffic, 'other visitors are answered'),
      {
        what: 'new visitors are answered',
        seen: `${peak.answered} of ${peak.asked}, each on a new connection`,
        holds: peak.answered === peak.asked,
      },
      {
        what: 'slow connections are accepted, up to the limit',
        seen: `${slow.connected} of ${count} connected, ${peak.files} files open at once`,
        holds: slow.connected === count,
      },
      {
        what: `memory is bounded: ${(PER_CONNECTION_MIB * 1024).toFixed(0)} KiB for a connection, and ${OTHER_GROWTH_MIB} MiB`,
        seen: `${before.mib.toFixed(0)} MiB before, ${peak.mib.toFixed(0)} at the most, ${boundMiB.toFixed(0)} allowed`,
        holds: peak.mib <= boundMiB,
      },
      {
        what: 'nothing is left of the slow connections',
        seen: `${before.files} files open before, ${openAfter} afterwards`,
        holds: openAfter <= before.files + 50,
      },
    ]);
  },
};

interface Measurements {
  readonly files: number;
  readonly mib: number;
  readonly asked: number;
  readonly answered: number;
}

interface SlowCrowd {
  readonly connected: number;
  end(): Promise<void>;
}

async function openSlowCrowd(trial: Trial, port: number, count: number): Promise<SlowCrowd> {
  const child = spawn(process.execPath, [SCRIPT, String(port), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exitEvent = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exitEvent;
  };
  trial.onEnd(end);
  const firstLine = await Promise.race([once(createInterface(child.stdout), 'line'), exitEvent]);
  // The only line that the script writes.
  const { connected } = JSON.parse(String(firstLine[0])) as { connected: number };
  return { connected, end };
}

/** Measures the process for a while. In the meantime it requests pages on new connections. */
async function watch({ url, product: { pid } }: Site, forMs: number): Promise<Measurements> {
  const endMs = performance.now() + forMs;
  const peak = { files: 0, mib: 0, asked: 0, answered: 0 };
  const headers = { ...chromeHttp, 'x-forwarded-for': HOME_IP, connection: 'close' };
  while (performance.now() < endMs) {
    peak.files = Math.max(peak.files, openFiles(pid));
    peak.mib = Math.max(peak.mib, residentMiB(pid));
    peak.asked += 1;
    if (checkUsual(await requestOnce(url, `/new/${peak.asked}`, headers)) === undefined)
      peak.answered += 1;
    await sleep(LOOK_EVERY_MS);
  }
  return peak;
}

/** The limit of open files of a process that is started from here. */
function filesLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}
