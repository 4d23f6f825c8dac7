import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/** A request header as one string. Empty when it is missing. Node joins headers that may be repeated. */
export function headerOf({ headers }: CollectRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** An answer without a body that no cache may store. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): CollectAnswer {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}
