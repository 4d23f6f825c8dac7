/**
 * Measures the cost of recording a decision. The bench records events at a steady rate. When the database has
 * acknowledged all of them, it divides the CPU time of Guard and its database by the number of events.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Analytics, openAnalytics } from '@guard/analytics';
import type { DecisionEvent } from '@guard/config/contract/event';
import { chromeHttps, firefoxHttps, safariIphone } from '../test/kit/visitors/visitors.ts';
import { addressOf, agentOf, ORGANISATION, VISITORS } from './decision-visitors.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { median } from './measure/rounds.ts';

interface Sample {
  /**
   * The events a second that the database acknowledged while events were recorded, from the first batch to the last.
   */
  readonly writtenPerS: number;
  readonly dropped: number;
  readonly ownUs: number;
  readonly databaseUs: number;
}

interface Row extends Sample {
  readonly recordedPerS: number;
}

interface Recording {
  readonly analytics: Analytics;
  readonly databasePid: number;
  readonly countOf: (fate: 'written' | 'dropped') => number;
  readonly queued: () => number;
}

/** Rates in events a second: about the decisions of one gateway, the target rate, and 1.5 times the target rate. */
const RATES = [10_000, 50_000, 75_000] as const;
const STEP_MS = 5;
/**
 * When a step is late, it records the events of at most this time. A gateway also does not decide all waiting requests
 * in one turn.
 */
const LONGEST_STEP_MS = 50;
/** The microseconds of one tick. Linux counts the CPU time of a process in ticks. */
const TICK_US = 10_000;

export async function bench(options: BenchOptions): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const recording = await open(folder);
  const events = Array.from({ length: VISITORS }, (_, number) => eventOf(number));
  try {
    options.onProgress('warming');
    await measure(recording, events, 10_000, 2);
    const samples = new Map(RATES.map((rate) => [rate, [] as Sample[]]));
    for (let round = 1; round <= options.rounds; round++) {
      for (const rate of round % 2 === 0 ? RATES.toReversed() : RATES) {
        options.onProgress(`round ${round} of ${options.rounds}: ${rate} events a second`);
        samples.get(rate)?.push(await measure(recording, events, rate, options.seconds));
      }
    }
    const rows = RATES.map((rate) => medians(rate, samples.get(rate) ?? []));
    return { rows, table: tableOf(rows), notes: NOTES };
  } finally {
    await recording.analytics.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTES = [
  'the embedded database; 20,000 visitors, 1,503 agents, 11 to 16 header fields an event',
  "CPU is the time of the whole process, from the first event until the last one is acknowledged; the database's time includes the merges in that period",
  'written/s: acknowledged while events come, from one batch to the last; the rest follows within a second',
  'target: 50,000 events a second sustained, none dropped',
];

async function open(path: string): Promise<Recording> {
  const countsByFate = new Map<string, number>();
  let readQueued: () => unknown = () => 0;
  let databasePid = 0;
  const analytics = await openAnalytics({
    settings: { engine: 'embedded', path },
    organisations: [{ id: ORGANISATION }],
    authenticate: () => undefined,
    clock: Date.now,
    log: (level, event, fields) => {
      if (event === 'analytics_ready') databasePid = Number(fields?.['pid']);
      else console.error(level, event, fields);
    },
    metrics: {
      count: (name, label = '', by = 1) => {
        if (name === 'guard_events_total')
          countsByFate.set(label, (countsByFate.get(label) ?? 0) + by);
      },
      gauge: (name, read) => {
        if (name === 'guard_events_queued') readQueued = read;
      },
    },
  });
  await analytics.settled;
  if (!analytics.ready()) throw new Error('the embedded database is not installed');
  return {
    analytics,
    databasePid,
    countOf: (fate) => countsByFate.get(fate) ?? 0,
    queued: () => Number(readQueued()),
  };
}

/** Records at `rate` for some seconds, then waits until all events are acknowledged. */
async function measure(
  { analytics, databasePid, countOf, queued }: Recording,
  events: readonly DecisionEvent[],
  rate: number,
  seconds: number,
): Promise<Sample> {
  const countsBefore = { written: countOf('written'), dropped: countOf('dropped') };
  const cpu = process.cpuUsage();
  const databaseCpuUs = cpuOf(databasePid);
  const startedAt = performance.now();
  const acknowledgements: Mark[] = [];
  let recordedEvents = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1000;) {
    await sleep(STEP_MS);
    elapsedMs = performance.now() - startedAt;
    const writtenCount = countOf('written') - countsBefore.written;
    if (writtenCount > (acknowledgements.at(-1)?.written ?? 0))
      acknowledgements.push({ written: writtenCount, elapsedMs });
    const dueEvents = (Math.min(elapsedMs, seconds * 1000) * rate) / 1000;
    const dueCount = Math.min(
      Math.floor(dueEvents),
      recordedEvents + (rate * LONGEST_STEP_MS) / 1000,
    );
    for (; recordedEvents < dueCount; recordedEvents++) {
      const event = events[recordedEvents % events.length];
      if (event !== undefined) analytics.sink.record({ ...event, createdAt: Date.now() });
    }
  }
  while (queued() > 0) await sleep(STEP_MS);
  const { user, system } = process.cpuUsage(cpu);
  const writtenEvents = countOf('written') - countsBefore.written;
  return {
    writtenPerS: rateOf(acknowledgements),
    dropped: countOf('dropped') - countsBefore.dropped,
    ownUs: (user + system) / writtenEvents,
    databaseUs: (cpuOf(databasePid) - databaseCpuUs) / writtenEvents,
  };
}

interface Mark {
  readonly written: number;
  readonly elapsedMs: number;
}

/** Returns the events a second, from the first mark to the last. NaN for fewer than two marks. */
function rateOf(marks: readonly Mark[]): number {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return NaN;
  return (1000 * (last.written - first.written)) / (last.elapsedMs - first.elapsedMs);
}

/** The CPU time of a process and all of its threads, also of threads that have ended (Linux). */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and may contain spaces. utime and stime are fields 12 and 13 after the name.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** Returns the event of a decision about one visitor, in the form that the validator makes. */
function eventOf(number: number): DecisionEvent {
  const agents = [chromeHttps, firefoxHttps, safariIphone, agentOf(number % 2000)] as const;
  const headers: Record<string, string> = {
    ...agents[number % 4],
    referer: `https://shop.example/products/${number % 1999}`,
    cookie: `theme=dark; basket=${number}`,
    'x-forwarded-for': addressOf(number),
  };
  const isChallenged = number % 50 === 0;
  return {
    createdAt: Date.now(),
    requestId: randomUUID(),
    organisation: ORGANISATION,
    site: 'shop',
    action: isChallenged ? 'challenge' : 'allow',
    decision: isChallenged ? 'challenge' : 'allow',
    response: isChallenged ? 'redirect' : 'allow',
    statusCode: isChallenged ? 403 : 200,
    rule: 'everybody',
    monitor: false,
    observe: false,
    rateLimited: false,
    blockReasons: number % 10 === 0 ? ['datacenter_ip'] : [],
    blockReasonCategories: number % 10 === 0 ? ['suspicious_network'] : [],
    crawler: undefined,
    method: 'GET',
    scheme: 'https',
    host: 'shop.example',
    path: `/products/${(number * 7) % 2003}`,
    query: number % 2 === 0 ? 'colour=blue' : '',
    referrerOrigin: 'https://shop.example',
    ip: addressOf(number),
    country: 'DE',
    userAgent: headers['user-agent'] ?? '',
    session: `0f8fad5b-d9cb-869f-a165-${number.toString(16).padStart(12, '0')}`,
    challenge: isChallenged ? 'issued' : 'verified',
    reference: '',
    validator: 'in-process',
    durationUs: 5 + (number % 40),
    headers,
    ja4: 't13d1516h2_8daaf6152771_02713d6af862',
    http2: '1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p',
  };
}

function medians(rate: number, samples: readonly Sample[]): Row {
  const medianOfSamples = (read: (sample: Sample) => number) => median(samples.map(read));
  return {
    recordedPerS: rate,
    writtenPerS: medianOfSamples((sample) => sample.writtenPerS),
    dropped: samples.reduce((sum, { dropped }) => sum + dropped, 0),
    ownUs: medianOfSamples((sample) => sample.ownUs),
    databaseUs: medianOfSamples((sample) => sample.databaseUs),
  };
}

function tableOf(rows: readonly Row[]): string {
  return toTable(
    ['recorded/s', 'written/s', 'dropped', 'CPU us/event', 'database us/event', 'together'],
    rows.map(({ recordedPerS, writtenPerS, dropped, ownUs, databaseUs }) => [
      String(recordedPerS),
      writtenPerS.toFixed(0),
      String(dropped),
      ownUs.toFixed(1),
      databaseUs.toFixed(1),
      (ownUs + databaseUs).toFixed(1),
    ]),
  );
}
