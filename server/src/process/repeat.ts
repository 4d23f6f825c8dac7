/**
 * Runs `work` again and again, the first time after `firstMs`. `work` must never reject. It resolves with the
 * milliseconds until its next run. The pauses do not keep the process alive. Returns a function that stops the
 * repetition.
 */
export function repeat(firstMs: number, work: () => Promise<number>): () => Promise<void> {
  let isEnded = false;
  let timer: NodeJS.Timeout;
  const runAfter = (ms: number): void => {
    timer = setTimeout(() => {
      void work().then((pauseMs) => {
        if (!isEnded) runAfter(pauseMs);
      });
    }, ms).unref();
  };
  runAfter(firstMs);
  return () => {
    isEnded = true;
    clearTimeout(timer);
    return Promise.resolve();
  };
}
