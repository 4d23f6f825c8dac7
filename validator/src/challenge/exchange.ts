import type { CollectAnswer, CollectRequest } from '@guard/config/contract/ports';

/**
 * A request header as one string. Empty when it is missing. Node has already joined the values of a repeated header.
 */
export function headerOf({ headers }: CollectRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** An answer with JSON. No cache is allowed to store it. */
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

/** An answer without a body. No cache is allowed to store it. */
export function emptyAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): CollectAnswer {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
}
