/** Whether uploads that trickle hold up somebody else: an unrelated GET beside 64 of them, and alone. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { goalsTable } from './goals.ts';
import { placement } from './processes.ts';
import { type BenchOptions, type Report, toTable } from './report.ts';
import { inRounds, medianOf } from './rounds.ts';
import { type Headers, returning } from './visitors.ts';
import { guardSettings, onWorkbench, startGuard, startOrigin } from './workbench.ts';

const ALONE = 'alone';
const UPLOADS = 64;
const BESIDE = `beside ${UPLOADS} uploads`;
const CHUNK = Buffer.alloc(1024, 'u');
const CHUNK_EVERY_MS = 50;
const GET_EVERY_MS = 5;

interface Sample {
  readonly gets: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

export function bench(options: BenchOptions): Promise<Report> {
  return onWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const headers = await returning(guard.url);
    await ask(guard.url, headers, 1000);
    const situations = [
      { name: ALONE, uploads: 0 },
      { name: BESIDE, uploads: UPLOADS },
    ];
    const samples = await inRounds(situations, options, async ({ uploads }) => {
      const ms = options.seconds * 1000;
      const [sample] = await Promise.all([
        ask(guard.url, headers, ms),
        ...Array.from({ length: uploads }, () => trickle(guard.url, headers, ms)),
      ]);
      return sample;
    });
    const worst = (name: string) =>
      Math.max(...(samples.get(name) ?? []).map(({ maxMs }) => maxMs));
    const body = situations.map(({ name }) => [
      name,
      medianOf(samples, name, ({ gets }) => gets).toFixed(0),
      medianOf(samples, name, ({ medianMs }) => medianMs).toFixed(2),
      worst(name).toFixed(2),
    ]);
    const goal = { name: 'slowest GET beside the uploads', measured: worst(BESIDE) };
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(['a GET', 'GETs a round', 'median ms', 'max ms'], body)}\n\n${goalsTable([{ ...goal, bound: { atMost: 20 }, unit: 'ms' }])}`,
      notes: [
        placement,
        `an upload sends 1 KiB every ${CHUNK_EVERY_MS} ms, chunked, as long as a round takes, and has to reach the origin whole; a GET every ${GET_EVERY_MS} ms over one connection`,
        'median: of the medians of the rounds; max: of all rounds',
      ],
    };
  });
}

/** One GET after the other, for so long. */
async function ask(url: string, headers: Headers, forMs: number): Promise<Sample> {
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  const latenciesMs: number[] = [];
  const until = performance.now() + forMs;
  while (performance.now() < until) {
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
    maxMs: latenciesMs.at(-1) ?? 0,
  };
}

/** One upload that takes so long; the origin answers when it has all of it. */
async function trickle(url: string, headers: Headers, forMs: number): Promise<void> {
  const upload = request(url, { method: 'POST', agent: false, headers });
  const status = new Promise<number>((resolve, reject) => {
    upload.on('error', reject);
    upload.on('response', (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
  });
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    upload.write(CHUNK);
    await sleep(CHUNK_EVERY_MS);
  }
  upload.end();
  const answered = await status;
  if (answered !== 200) throw new Error(`an upload was answered ${answered}`);
}
