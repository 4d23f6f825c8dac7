import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { childrenOf } from '../../test/kit/children.ts';
import { poll, send } from '../../test/kit/http.ts';
import { rowsOf } from '../../test/kit/product/sql.ts';
import { type Claim, everyAnswerIsRight, type Fault, type Outcome, type Tally } from '../fault.ts';
import type { Trial } from '../trial.ts';
import { DETECT_RULES } from '../settings.ts';
import { type Site, startSite } from '../site.ts';
import { makeSmallDisk, smallDiskHindrance, type SmallDisk } from '../small-disk.ts';

const ENOUGH = 150;
const PATIENCE_MS = 30_000;
const SQL = `SELECT count() AS rows, uniqExact(request_id) AS requests FROM events_distributed
  WHERE match(path, '^/(page|closed)/')`;

/** One way to start the database while its disk is full. */
interface Start {
  readonly what: string;
  /** Starts it. Resolves with the Guard that runs afterwards. */
  readonly begin: (site: Site, startAgain: () => Promise<Site>) => Promise<Site>;
  /** Which events may be lost: the waiting ones, the ones that Guard logs as dropped, or none. */
  readonly expectedLoss: 'waiting' | 'logged' | 'nothing';
}

const STARTS: readonly Start[] = [
  { what: 'the database is killed (SIGKILL)', begin: killEngine, expectedLoss: 'nothing' },
  { what: 'Guard is killed (SIGKILL) and started', begin: killGuard, expectedLoss: 'waiting' },
  { what: 'Guard is ended in order and started', begin: endGuard, expectedLoss: 'logged' },
  { what: 'an organisation is added', begin: addOrganisation, expectedLoss: 'nothing' },
];

export const fullDiskStarts: Fault = {
  done: "the database's disk (a small ext4) is full, and the database is started there in four ways",
  hindrance: smallDiskHindrance,
  async inflict(trial) {
    const disk = await makeSmallDisk(trial);
    const traffic = { requests: 0, wrong: new Map<string, number>(), slowestMs: 0 };
    const claims: Claim[] = [];
    let last: Outcome | undefined;
    for (const start of STARTS) {
      trial.say(start.what);
      last = await tryStart(trial, disk, start, traffic);
      claims.push(...last.claims);
    }
    if (last === undefined) throw new Error('nothing was started');
    return { ...last, claims: [everyAnswerIsRight(traffic), ...claims] };
  },
};

async function tryStart(
  trial: Trial,
  disk: SmallDisk,
  start: Start,
  traffic: Adding,
): Promise<Outcome> {
  const path = join(disk.folder, String(STARTS.indexOf(start)));
  const startAgain = (): Promise<Site> =>
    startSite(trial, { topLevelSettings: { analytics: { engine: 'embedded', path } } });
  const site = await startAgain();
  const requestsBefore = await visit(site, traffic);
  await poll(
    () => rowsIn(site),
    ({ rows }) => rows === requestsBefore,
    PATIENCE_MS,
  );
  await disk.fill();
  const requestsWaiting = await visit(site, traffic);
  const after = await start.begin(site, startAgain);
  const whileFull = await poll(() => stateOf(after), isSettled, PATIENCE_MS);
  const requestsLater = await visit(after, traffic);
  await disk.removeFiller();
  const dropLines = [...site.product.log().matchAll(/"analytics_events_dropped","rows":(\d+)/g)];
  const droppedRows = dropLines.reduce((sum, [, rows]) => sum + Number(rows), 0);
  const sentRequests = requestsBefore + requestsWaiting + requestsLater;
  const expectedCounts = {
    nothing: sentRequests,
    logged: sentRequests - droppedRows,
    waiting: requestsBefore + requestsLater,
  };
  const isComplete = ({ rows }: Counted): boolean => rows >= expectedCounts[start.expectedLoss];
  let { rows, requests } = await rowsIn(after);
  await poll(async () => ({ rows, requests } = await rowsIn(after)), isComplete, PATIENCE_MS).catch(
    () => undefined,
  );
  const outcome = after.outcome(traffic, [
    {
      what: `${start.what}: no row that was written before is lost or doubled`,
      seen: `${requestsBefore} written before, ${requestsWaiting} and ${requestsLater} sent while it was full (database ${whileFull}), ${droppedRows} logged as dropped; ${rows} rows in the end`,
      holds:
        isComplete({ rows, requests }) && rows === requests && rows + droppedRows <= sentRequests,
    },
  ]);
  await after.product.stop();
  return outcome;
}

async function killEngine(site: Site): Promise<Site> {
  const [engine] = childrenOf(site.product.pid);
  if (engine === undefined) throw new Error('the database has no process');
  process.kill(engine, 'SIGKILL');
  await site.waitForMetric('guard_analytics_restarts_total', (restarts) => restarts > 0);
  return site;
}

async function killGuard(site: Site, startAgain: () => Promise<Site>): Promise<Site> {
  process.kill(site.product.pid, 'SIGKILL');
  await site.product.stop();
  return startAgain();
}

async function endGuard(site: Site, startAgain: () => Promise<Site>): Promise<Site> {
  await site.product.stop();
  return startAgain();
}

async function addOrganisation(site: Site): Promise<Site> {
  const { product } = site;
  const countStarts = (): number => product.log().split('"analytics_ready"').length;
  const startsBefore = countStarts();
  const settings = site.settings(DETECT_RULES);
  // productSettings makes a list of organisations.
  const organisations = [...(settings['organisations'] as unknown[]), { id: 'late' }];
  const file = join(product.folder, 'guard.yaml');
  await writeFile(`${file}.new`, stringify({ ...settings, organisations }));
  await rename(`${file}.new`, file);
  await poll(
    () => Promise.resolve(countStarts()),
    (now) => now > startsBefore,
    PATIENCE_MS,
  );
  return site;
}

type Adding = Tally & { requests: number; slowestMs: number; readonly wrong: Map<string, number> };

/** Sends visitors, and adds their results to `traffic`. Returns the number of requests. */
async function visit(site: Site, traffic: Adding): Promise<number> {
  const crowd = site.startCrowd();
  await crowd.seeMore(ENOUGH);
  const { requests, wrong, slowestMs } = await crowd.leave();
  traffic.requests += requests;
  traffic.slowestMs = Math.max(traffic.slowestMs, slowestMs);
  for (const [way, count] of wrong) traffic.wrong.set(way, (traffic.wrong.get(way) ?? 0) + count);
  return requests;
}

interface Counted {
  readonly rows: number;
  readonly requests: number;
}

async function rowsIn({ product }: Site): Promise<Counted> {
  const [row] = await rowsOf<Record<keyof Counted, string>>(product, SQL).catch(() => []);
  return { rows: Number(row?.rows ?? 0), requests: Number(row?.requests ?? 0) };
}

/** The state of the database by `GET /ready`. */
async function stateOf({ product }: Site): Promise<string> {
  const { body } = await send(`${product.addresses.admin}/ready`);
  return /"state":"(\w+)"/.exec(body)?.[1] ?? 'untold';
}

function isSettled(state: string): boolean {
  return state === 'ready' || state === 'failing';
}
