/**
 * node chaos/cluster/run.ts [--record]: two shards of two copies, each a real engine, lose servers while two Guards
 * write. Needs Linux on x64 and Debian's zookeeper. What is real here and what is not: RESULTS.md.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { organisationAccount } from '../../analytics/src/database/accounts.ts';
import { sampleEvent } from '../../analytics/src/testing/sample-event.ts';
import { until } from '../../analytics/src/testing/until.ts';
import { markdown } from '../../eval/tables.ts';
import { type Cluster, openCluster, ORGANISATIONS, type Writer } from './cluster.ts';
import { administrator, type Node } from './node.ts';
import { zookeeperInstallHint } from './zookeeper.ts';

interface Claim {
  readonly what: string;
  readonly observed: string;
  readonly holds: boolean;
}

const EVENTS_A_SECOND = 1000;
const STEP_MS = 50;
const DAY_MS = 86_400_000;
const LONG_MS = 120_000;
const claims: Claim[] = [];
const figures: string[] = [];

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
const missing = zookeeperInstallHint();
if (missing !== undefined) throw new Error(`ZooKeeper is not there: ${missing}`);
const openedCluster = await openCluster();
try {
  await tryAll(openedCluster);
} finally {
  await openedCluster.close();
}
const table = markdown(
  ['what must hold', 'what was seen', 'held'],
  claims.map(({ what, observed, holds }) => [what, observed, holds ? 'yes' : '**NO**']),
);
process.stdout.write(`${table}\n`);
if (values.record) writeFileSync(join(import.meta.dirname, 'RESULTS.md'), report());
if (!claims.every(({ holds }) => holds)) process.exitCode = 1;

function claim(what: string, observed: unknown, expected: unknown): void {
  const [one, other] = [observed, expected].map((value) => JSON.stringify(value));
  claims.push({ what, observed: String(one), holds: one === other });
  say(`${one === other ? 'held' : `NOT HELD, expected ${String(other)}`}: ${what}: ${String(one)}`);
}

function say(text: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(1)} s  ${text}\n`);
}

async function tryAll(cluster: Cluster): Promise<void> {
  const [s1r1, s1r2, s2r1, s2r2] = cluster.nodes;
  await Promise.all([s1r1.start(), s1r2.start(), s2r1.start()]);
  say('three of four servers are up');
  const startedAt = performance.now();
  const guards = [await cluster.openGuard('first'), await cluster.openGuard('second')] as const;
  for (const guard of guards) await untilReady(guard);
  claim(
    'two Guards start while one server is missing, in less than a minute',
    performance.now() - startedAt < 60_000,
    true,
  );

  const load = startLoad(guards);
  await sleep(5000);
  await loseNode(s1r2, 'a copy');
  await loseNode(s1r1, 'the server that Guard is connected to');
  say('the fourth server joins');
  await s2r2.start();
  const hasTables = async () => (await count(cluster, s2r2)) > 0;
  await until('the new server has the tables', hasTables, LONG_MS);
  await loseNode(s2r1, 'the copy that the new server has its rows from');
  say('ZooKeeper goes');
  await cluster.zookeeper.kill();
  await sleep(8000);
  await cluster.zookeeper.start();
  await sleep(8000);
  const recorded = await load.stop();
  for (const guard of guards) {
    await until('all is acknowledged', () => isQueueEmpty(guard.recorders), LONG_MS);
  }
  const sum = (name: string): number =>
    guards.reduce(
      (all, { recorders }) => all + recorders.counterValue('guard_events_total', name),
      0,
    );
  figures.push(`${recorded} events recorded, ${sum('written')} acknowledged`);
  say(figures.join());
  claim('events that Guard dropped', sum('dropped'), 0);
  await untilMerged(cluster);
  const wantedCounts = `${recorded}\t${recorded}`;
  for (const node of cluster.nodes) {
    const sql = 'SELECT count(), uniqExact(request_id) FROM events_distributed';
    claim(
      `rows and different rows that ${nameOf(node)} counts in the cluster`,
      await node.ask(cluster.writer, sql),
      wantedCounts,
    );
  }
  await compareCopies(cluster);
  await tryWalls(cluster, recorded);
  await tryRetention(cluster, guards[0]);
  await tryForget(cluster, guards[0]);
}

async function untilReady({ analytics, recorders }: Writer): Promise<void> {
  await until('the cluster is ready', () => analytics.ready(), LONG_MS, recorders.lines);
}

const isQueueEmpty = (recorders: Writer['recorders']): boolean =>
  recorders.gaugeValue('guard_events_queued') === 0;

/** Kills a server, and brings it back eight seconds later. */
async function loseNode(node: Node, role: string): Promise<void> {
  say(`${nameOf(node)} is killed: ${role}`);
  await node.kill();
  await sleep(8000);
  await node.start();
  say(`${nameOf(node)} is back`);
  await sleep(5000);
}

function startLoad(guards: readonly Writer[]): { stop(): Promise<number> } {
  let recorded = 0;
  const loadEnd = new AbortController();
  const startedAt = performance.now();
  const running = (async () => {
    while (!loadEnd.signal.aborted) {
      await sleep(STEP_MS);
      const dueCount = (EVENTS_A_SECOND * (performance.now() - startedAt)) / 1000;
      for (; recorded < dueCount; recorded += 1) {
        const organisation = ORGANISATIONS[recorded % 2] ?? 'acme';
        guards[(recorded >> 1) % guards.length]?.analytics.sink.record(
          sampleEvent({ organisation }),
        );
      }
    }
  })();
  return {
    async stop() {
      loadEnd.abort();
      await running;
      return recorded;
    },
  };
}

function nameOf({ shard, replica }: Node): string {
  return `copy ${replica} of shard ${shard}`;
}

async function count(cluster: Cluster, node: Node): Promise<number> {
  return Number(await node.ask(cluster.writer, 'SELECT count() FROM events')) || 0;
}

/** Waits until the copies have fetched all parts from each other. */
async function untilMerged(cluster: Cluster): Promise<void> {
  for (const node of cluster.nodes) {
    const answer = await node.ask(administrator, 'SYSTEM SYNC REPLICA default.events');
    if (answer !== '') say(`${nameOf(node)}: ${answer}`);
  }
}

async function compareCopies(cluster: Cluster): Promise<void> {
  const sql = 'SELECT count(), sum(cityHash64(*)) FROM events';
  const [first, second, third, fourth] = await Promise.all(
    cluster.nodes.map((node) => node.ask(cluster.writer, sql)),
  );
  claim('the copies of shard 1 have the same rows', first === second, true);
  claim('the copies of shard 2 have the same rows', third === fourth, true);
  say(`rows and digests: ${[first, second, third, fourth].join(' | ')}`);
}

async function tryWalls(cluster: Cluster, recorded: number): Promise<void> {
  for (const node of cluster.nodes) {
    const seen = [];
    for (const organisation of ORGANISATIONS) {
      const account = organisationAccount(organisation, cluster.writer.password);
      seen.push(
        await node.ask(account, 'SELECT count(), uniqExact(organisation) FROM events_distributed'),
      );
    }
    const halves = [Math.ceil(recorded / 2), Math.floor(recorded / 2)].map((rows) => `${rows}\t1`);
    claim(`what each organisation sees on ${nameOf(node)}`, seen, halves);
  }
}

async function tryRetention(cluster: Cluster, { analytics, recorders }: Writer): Promise<void> {
  const ages = [13, 15, 89, 91];
  for (let each = 0; each < 40; each += 1) {
    const days = ages[each % ages.length] ?? 0;
    const createdAt = Date.now() - days * DAY_MS;
    analytics.sink.record(
      sampleEvent({ createdAt, rule: `${days} days`, site: 'old', body: 'c=3' }),
    );
  }
  await until('old rows are written', () => isQueueEmpty(recorders), LONG_MS);
  for (const node of cluster.nodes) {
    const DELETE_SOON = 'ALTER TABLE events MODIFY SETTING merge_with_ttl_timeout = 1';
    const alterError = await node.ask(administrator, DELETE_SOON);
    if (alterError !== '') say(alterError);
  }
  const keptRowsQuery = `SELECT rule, sum(length(body) > 0) > 0 FROM events WHERE site = 'old' GROUP BY rule ORDER BY rule`;
  const expectedRows = '13 days\t1\n15 days\t0\n89 days\t0';
  for (const node of cluster.nodes) {
    let reply = '';
    await until(
      `old rows are gone from ${nameOf(node)}`,
      async () => {
        reply = await node.ask(cluster.writer, keptRowsQuery);
        return reply === expectedRows;
      },
      LONG_MS,
    ).catch(() => undefined);
    claim(
      `rows of 13, 15, 89, 91 days that ${nameOf(node)} keeps, and whether with a body`,
      reply,
      expectedRows,
    );
  }
}

async function tryForget(cluster: Cluster, { analytics, recorders }: Writer): Promise<void> {
  const person = { kind: 'address', value: '198.51.100.7' } as const;
  const countQuery = `SELECT count() FROM events WHERE ip = '${person.value}'`;
  for (const [site, away] of [
    ['all are up', undefined],
    ['one is away', cluster.nodes[1]],
  ] as const) {
    for (let each = 0; each < 100; each += 1)
      analytics.sink.record(sampleEvent({ site, ip: person.value }));
    await until('the rows are written', () => isQueueEmpty(recorders), LONG_MS);
    await untilMerged(cluster);
    await away?.kill();
    const outcome = await analytics.forget('delete', 'acme', person);
    say(`forget, ${site}: ${JSON.stringify(outcome)}`);
    if (away === undefined) {
      claim('forget, all servers up', outcome, { kind: 'deleted', rows: 100, left: 0, waiting: 0 });
    } else {
      claim('forget, one copy away, is refused with the reason', outcome.kind, 'refused');
      await away.start();
    }
    for (const node of cluster.nodes) {
      await until(
        `${nameOf(node)} has none`,
        async () => (await node.ask(cluster.writer, countQuery)) === '0',
        LONG_MS,
      ).catch(() => undefined);
      claim(
        `rows of the person on ${nameOf(node)}, ${site}`,
        await node.ask(cluster.writer, countQuery),
        '0',
      );
    }
  }
}

function report(): string {
  const [cpu] = cpus();
  return `# A ClickHouse cluster that loses servers

Two shards of two copies, each a process with the engine that Guard brings, and Debian's ZooKeeper. Two Guards (their
analytics, as the gateway uses them) record ${EVENTS_A_SECOND} events a second. They start while one server is missing. Under load a copy is
killed and comes back, then the server that Guard is connected to, then the missing one joins, then the copy is killed that this one
had its rows from, and at last ZooKeeper for eight seconds.

${figures.map((line) => `- ${line}`).join('\n')}

${table}

What is real: tables with \`ReplicatedMergeTree\`, their parts, merges, deletions by age and mutations, the parts that copies fetch
from each other, \`Distributed\`, ZooKeeper, row policies, and kills by SIGKILL.

What is not. The engine runs as clickhouse-local, which lacks three things of a ClickHouse server:

- \`ON CLUSTER\`: the balancer in front of the servers gives each of them the statement, and waits for one that is away as ClickHouse would.
- Accounts made by statements: they and their row policies are in a file of each server, with the rights that Guard would give.
- A port for the exchange of parts: the engine has its code, and \`part-exchange.ts\` switches it on in the memory of the running process.

- ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpu?.model ?? 'unknown'}, which other programs shared
- \`node chaos/cluster/run.ts --record\` writes this file; it needs Linux on x64 and \`apt-get install zookeeper\`
`;
}
