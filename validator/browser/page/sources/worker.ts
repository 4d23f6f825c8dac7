import type { ReadingValue } from '../../../src/challenge/evidence/evidence.ts';
import { clip } from '../clip.ts';
import { LIMITS } from '../limits.ts';
import type { Source } from '../source.ts';

/** Runs in the worker: a disguise put over the page seldom reaches it. */
const program = 'var n=navigator;postMessage({u:n.userAgent,p:n.platform})';

interface Answer {
  readonly u: unknown;
  readonly p: unknown;
}

/** The same facts as a worker of this page sees them. */
export const worker: Source<'worker'> = () => {
  if (typeof Worker === 'undefined') return undefined;
  const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const thread = new Worker(url);
  const answered = new Promise<ReadingValue<'worker'>>((resolve, reject) => {
    thread.onerror = () => reject(new Error('worker'));
    thread.onmessage = ({ data }: MessageEvent<Answer>) =>
      resolve({
        userAgent: clip(data.u, LIMITS.userAgentChars),
        platform: clip(data.p),
      });
    // A worker that never starts must not outlive the reading.
    setTimeout(reject, LIMITS.sourceMs);
  });
  return answered.finally(() => {
    thread.terminate();
    URL.revokeObjectURL(url);
  });
};
