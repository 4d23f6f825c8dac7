import { setTimeout as rest } from 'node:timers/promises';

/** How long work runs before requests are handled. */
const SLICE_MS = 2;
/**
 * How long requests are handled between two slices. One request needs about five turns of the event loop. With only one
 * turn after each slice, a request would wait for five slices.
 */
const REST_MS = 1;

/**
 * Call it between two steps of long work, and await the result. It returns undefined when the work may go on at once.
 */
export type Pause = () => Promise<void> | undefined;

export const noPause: Pause = () => undefined;

/** Divides long work into slices. Between two slices the event loop reads sockets and runs timers. */
export function inSlices(): Pause {
  let begunAt = performance.now();
  return () => {
    if (performance.now() - begunAt < SLICE_MS) return undefined;
    return rest(REST_MS).then(() => {
      begunAt = performance.now();
    });
  };
}

/** Long work that can pause wherever it yields. */
export type Sliced<Result> = Generator<void, Result, void>;

export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

export async function workInSlices<Result>(work: Sliced<Result>, pause: Pause): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}
