import { clip } from '../clip.ts';
import { LIMITS } from '../../../page-contract/limits.ts';
import type { Source } from '../source.ts';

/** This text runs in the worker. A program that disguises the page seldom changes its workers. */
const readFacts = 'var n=navigator,m={u:n.userAgent,p:n.platform};';
const workerProgram = `${readFacts}postMessage(m)`;
const sharedWorkerProgram = `${readFacts}onconnect=async({ports:[p]})=>{m.f=(await n.userAgentData?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList?.length;p.postMessage(m);close()}`;

interface Answer {
  readonly u: unknown;
  readonly p: unknown;
  readonly f?: unknown;
}

/** User-Agent and platform, as a worker of this page reports them. */
export const worker: Source<'worker'> = () => {
  if (typeof Worker === 'undefined') return undefined;
  return ask(workerProgram, (url) => {
    const thread = new Worker(url);
    return { thread, port: thread, end: () => thread.terminate() };
  }).then(facts);
};

/**
 * User-Agent and platform from a shared worker. Such a worker has no page: in Chromium, a driver that changes the
 * User-Agent of its page does not change it there. The worker ends itself.
 */
export const sharedWorker: Source<'sharedWorker'> = ({ isOwnPage }) => {
  if (!isOwnPage || typeof SharedWorker === 'undefined') return undefined;
  return ask(sharedWorkerProgram, (url) => {
    const thread = new SharedWorker(url);
    return { thread, port: thread.port };
  }).then((answer) => ({
    ...facts(answer),
    fullVersions: typeof answer.f === 'number' ? answer.f : null,
  }));
};

const facts = ({ u, p }: Answer) => ({
  userAgent: clip(u, LIMITS.userAgentChars),
  platform: clip(p),
});

interface StartedWorker {
  readonly thread: { onerror: unknown };
  readonly port: { onmessage: ((message: MessageEvent<Answer>) => void) | null };
  readonly end?: () => void;
}

function ask(program: string, start: (url: string) => StartedWorker): Promise<Answer> {
  const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const { thread, port, end } = start(url);
  const answer = new Promise<Answer>((resolve, reject) => {
    thread.onerror = () => reject(new Error('worker'));
    port.onmessage = ({ data }) => resolve(data);
    // Reject after the time limit of a reading, because some workers never start.
    setTimeout(reject, LIMITS.sourceMs);
  });
  return answer.finally(() => {
    end?.();
    URL.revokeObjectURL(url);
  });
}
