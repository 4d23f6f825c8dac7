import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/** A request header as one string. Empty when it is missing. Node joins headers that may be repeated. */
export function headerOf({ headers }: CollectRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** An answer with JSON that no cache may store. */
export function jsonAnswer(
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): CollectAnswer {
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify(value),
  };
}

/** An answer without a body that no cache may store. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): CollectAnswer {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}
