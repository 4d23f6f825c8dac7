/**
 * Milliseconds since `startedAt` (a value of `performance.now()`), rounded to tenths. Browsers hide smaller
 * differences.
 */
export function elapsedMs(startedAt: number): number {
  return Math.max(0, Math.round((performance.now() - startedAt) * 10) / 10);
}
