import type { Upload } from '../../page-contract/evidence.ts';
import type { WorkElement } from '../work/work.ts';

/** Longest start time of a worker, in milliseconds. */
const START_MS = 3_000;

/**
 * Does the memory-hard work of a task with the program at `url`: in a worker, or in slices in the page when the browser
 * has no worker. Rejects when the program cannot be loaded. `nonce` is the nonce of the page's own script.
 */
export async function work(
  url: string,
  task: string,
  nonce: string | undefined,
): Promise<Pick<Upload, 'work'>> {
  const counter = await workInWorker(url, task).catch(() => workInPage(url, task, nonce));
  return { work: { task, counter } };
}

async function workInWorker(url: string, task: string): Promise<number> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(url);
  const program = URL.createObjectURL(
    new Blob([await response.text()], { type: 'text/javascript' }),
  );
  const thread = new Worker(program);
  return new Promise<number>((resolve, reject) => {
    const startTimer = setTimeout(reject, START_MS);
    thread.onerror = reject;
    thread.onmessage = ({ data }: MessageEvent<number | ''>) => {
      clearTimeout(startTimer);
      if (data === '') thread.postMessage(task);
      else resolve(data);
    };
  }).finally(() => {
    thread.terminate();
    URL.revokeObjectURL(program);
  });
}

function workInPage(url: string, task: string, nonce = ''): Promise<number> {
  const element: WorkElement = document.createElement('script');
  const load = new Promise<unknown>((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
  });
  element.nonce = nonce;
  element.src = url;
  document.head.append(element);
  return load.then(() => {
    element.remove();
    if (element.solve === undefined) throw new Error(url);
    return element.solve(task);
  });
}
