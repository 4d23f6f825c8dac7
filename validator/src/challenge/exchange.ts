import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/** A request header in one piece; empty when it is absent. Node joins what may stand twice. */
export function headerOf({ headers }: CollectRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** An answer without a body, which no cache may keep. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): CollectAnswer {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}
