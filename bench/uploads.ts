/**
 * Measures whether slow uploads delay other visitors. It compares the time of a GET during 64 slow uploads with its
 * time when there are no uploads.
 */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { atMost, goalsTable } from './measure/goals.ts';
import { load, WARM_SECONDS, warmNote } from './measure/load.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf } from './measure/rounds.ts';
import { type Headers, headersOfReturning } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './measure/workbench.ts';

const UPLOADS = 64;
const BARE = 'of the origin itself, alone';
const BARE_BESIDE = `of the origin itself, beside ${UPLOADS} uploads to it`;
const GUARD_ALONE = 'through guard, alone';
const GUARD_WITH_UPLOADS = `through guard, beside ${UPLOADS} uploads through it`;
const CHUNK = Buffer.alloc(1024, 'u');
const CHUNK_EVERY_MS = 50;
const GET_EVERY_MS = 5;

interface Sample {
  readonly gets: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const headers = await headersOfReturning(guard.url);
    const situations = [
      { name: BARE, url: origin.line, uploads: 0 },
      { name: BARE_BESIDE, url: origin.line, uploads: UPLOADS },
      { name: GUARD_ALONE, url: guard.url, uploads: 0 },
      { name: GUARD_WITH_UPLOADS, url: guard.url, uploads: UPLOADS },
    ];
    async function measure({ url, uploads }: (typeof situations)[number], ms: number) {
      const [sample] = await Promise.all([
        ask(url, headers, ms),
        ...Array.from({ length: uploads }, () => trickle(url, headers, ms)),
      ]);
      return sample;
    }
    options.onProgress('warming');
    await load({ url: guard.url, path: '/', headers }, { ...options, seconds: WARM_SECONDS });
    for (const situation of situations) await measure(situation, 2000);
    const samples = await runInRounds(situations, options, (situation) =>
      measure(situation, options.seconds * 1000),
    );
    const worstOf = (name: string) =>
      Math.max(...(samples.get(name) ?? []).map(({ maxMs }) => maxMs));
    const body = situations.map(({ name }) => [
      name,
      medianOf(samples, name, ({ gets }) => gets).toFixed(0),
      medianOf(samples, name, ({ medianMs }) => medianMs).toFixed(2),
      medianOf(samples, name, ({ p99Ms }) => p99Ms).toFixed(2),
      worstOf(name).toFixed(2),
    ]);
    const addedMs = worstOf(GUARD_WITH_UPLOADS) - worstOf(BARE);
    const goals = [atMost('the slowest, above the origin alone', 10, addedMs, 'ms')];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(['a GET', 'GETs a round', 'median ms', 'p99 ms', 'max ms'], body)}\n\n${goalsTable(goals)}`,
      notes: [
        placement,
        warmNote,
        `an upload sends 1 KiB every ${CHUNK_EVERY_MS} ms, chunked, for the whole round, and the origin has to get all of it; a GET every ${GET_EVERY_MS} ms over one connection`,
        'median and p99: the median of the rounds; max: the maximum of all rounds. The time of the origin alone comes from the machine and the client',
      ],
    };
  });
}

/** Sends one GET after the other for this time. */
async function ask(url: string, headers: Headers, forMs: number): Promise<Sample> {
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  const latenciesMs: number[] = [];
  const endAt = performance.now() + forMs;
  while (performance.now() < endAt) {
    const sentAt = performance.now();
    const answer = await pool.request({ method: 'GET', path: '/', headers });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a GET was answered ${answer.statusCode}`);
    latenciesMs.push(performance.now() - sentAt);
    await sleep(GET_EVERY_MS);
  }
  await pool.close();
  latenciesMs.sort((a, b) => a - b);
  return {
    gets: latenciesMs.length,
    medianMs: latenciesMs[Math.floor(latenciesMs.length / 2)] ?? 0,
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0,
    maxMs: latenciesMs.at(-1) ?? 0,
  };
}

/** Sends one upload that takes this time. The origin answers when it has the whole upload. */
async function trickle(url: string, headers: Headers, forMs: number): Promise<void> {
  const upload = request(url, { method: 'POST', agent: false, headers });
  const status = new Promise<number>((resolve, reject) => {
    upload.on('error', reject);
    upload.on('response', (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
  });
  const endAt = performance.now() + forMs;
  while (performance.now() < endAt) {
    upload.write(CHUNK);
    await sleep(CHUNK_EVERY_MS);
  }
  upload.end();
  const answeredStatus = await status;
  if (answeredStatus !== 200) throw new Error(`an upload got status ${answeredStatus}`);
}
