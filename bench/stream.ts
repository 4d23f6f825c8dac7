/**
 * Shows that bodies are streamed. Uploads 1 GiB and downloads 1 GiB at the same time. The bench checks every byte, and
 * compares the memory of the gateway's process with its memory before.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { atMost, type Goal, goalsTable, isMet } from './measure/goals.ts';
import { load } from './measure/load.ts';
import { type Digest, digest, patternStream } from './measure/pattern.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { residentMiB } from './measure/resident-memory.ts';
import { type Headers, headersOfReturning } from './visitors.ts';
import { guardSettings, withWorkbench, startGuard, startOrigin } from './measure/workbench.ts';

const MIB = 1024 * 1024;
const SAMPLE_EVERY_MS = 50;

const Received = z.object({ bytes: z.number(), hash: z.string() });

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench, { script: 'stream-origin.ts' });
    const guard = await startGuard(workbench, 'guard', guardSettings('guard', origin.line));
    const headers = await headersOfReturning(`${guard.url}/1`);
    options.onProgress('warming');
    await load({ url: guard.url, path: '/1024', headers }, { ...options, seconds: 2 });
    await sleep(1000);

    const bytes = options.mib * MIB;
    const beforeMiB = residentMiB(guard.pid);
    options.onProgress('streaming');
    const watchedMemory = watch(guard.pid);
    const [sent, up, down] = await Promise.all([
      digest(patternStream(bytes)),
      timeOf(upload(guard.url, headers, bytes)),
      timeOf(download(guard.url, headers, bytes)),
    ]).finally(watchedMemory.stop);
    for (const arrived of [up.value, down.value]) {
      if (arrived.hash !== sent.hash) {
        throw new Error(`${arrived.bytes} of ${bytes} bytes arrived, or other ones`);
      }
    }
    const peakMiB = await watchedMemory.peakMiB;
    const goal: Goal = atMost('growth of resident memory', 64, peakMiB - beforeMiB, 'MiB');
    const body = [
      ['up', options.mib.toFixed(0), (options.mib / up.seconds).toFixed(0)],
      ['down', options.mib.toFixed(0), (options.mib / down.seconds).toFixed(0)],
    ];
    return {
      rows: [{ mib: options.mib, beforeMiB, peakMiB, upS: up.seconds, downS: down.seconds }],
      table: `${toTable(['body', 'MiB', 'MiB/s'], body)}\n\n${goalsTable([goal])}`,
      failed: isMet(goal) === false,
      notes: [
        placement,
        `resident memory of the gateway's process every ${SAMPLE_EVERY_MS} ms: ${beforeMiB.toFixed(0)} MiB before, ${peakMiB.toFixed(0)} MiB at most`,
        'the upload is chunked; both bodies arrive with the SHA-256 with which they were sent',
      ],
    };
  });
}

async function upload(url: string, headers: Headers, bytes: number): Promise<Digest> {
  const clientRequest = request(url, { method: 'POST', agent: false, headers });
  const response = once(clientRequest, 'response');
  await pipeline(patternStream(bytes), clientRequest);
  const [answer] = (await response) as [IncomingMessage]; // the only argument of the event `response`
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  if (answer.statusCode !== 200) throw new Error(`the upload was answered ${answer.statusCode}`);
  return Received.parse(JSON.parse(text));
}

async function download(url: string, headers: Headers, bytes: number): Promise<Digest> {
  const clientRequest = request(`${url}/${bytes}`, { agent: false, headers }).end();
  // the only argument of the event `response`
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`the download was answered ${answer.statusCode}`);
  return digest(answer);
}

async function timeOf<T>(
  work: Promise<T>,
): Promise<{ readonly value: T; readonly seconds: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, seconds: (performance.now() - startedAt) / 1000 };
}

/** Watches the memory of a process until `stop`, which returns the maximum. */
function watch(pid: number): { readonly stop: () => void; readonly peakMiB: Promise<number> } {
  const stopSignal = new AbortController();
  const sample = async () => {
    let peakMiB = 0;
    while (!stopSignal.signal.aborted) {
      peakMiB = Math.max(peakMiB, residentMiB(pid));
      await sleep(SAMPLE_EVERY_MS);
    }
    return peakMiB;
  };
  return { stop: () => stopSignal.abort(), peakMiB: sample() };
}
