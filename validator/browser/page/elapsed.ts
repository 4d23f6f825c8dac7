/** Milliseconds since a time of `performance.now()`, in tenths. Browsers blur smaller differences. */
export function elapsedMs(startedAt: number): number {
  return Math.max(0, Math.round((performance.now() - startedAt) * 10) / 10);
}
