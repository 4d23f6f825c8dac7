import type { Attributes } from '@opentelemetry/api';

/** RFC 9110 section 9 and RFC 5789. Visitors can invent other methods, which must not name a span. */
const KNOWN: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** The name of a span without a known route. It must be one of few values. */
export function spanName(method: string): string {
  return KNOWN.has(method) ? method : 'HTTP';
}

export function methodAttributes(method: string): Attributes {
  return KNOWN.has(method)
    ? { 'http.request.method': method }
    : { 'http.request.method': '_OTHER', 'http.request.method_original': method.slice(0, 64) };
}
