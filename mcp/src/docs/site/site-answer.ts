import type { Coding, Resource } from './resource.ts';

/** The values of a GET or HEAD request on which the answer depends. */
export interface SiteRequest {
  /** The path as sent, with a leading slash. */
  readonly path: string;
  /** The part after the question mark. Empty when there is none. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Takes one search from the reader's budget. Returns 0 when the search is allowed, else the milliseconds to wait. */
  readonly takeSearch: () => number;
}

export interface SiteAnswer {
  readonly status: 200 | 304 | 400 | 404 | 429;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for status 304. */
  readonly body?: Buffer;
}

/** Answers in the preferred coding, or with 304 (RFC 9110 13.1.2). Errors have no etag and are always sent. */
export function answerWith(resource: Resource, request: SiteRequest): SiteAnswer {
  const { coding, bytes, etag } = resource.encode(preferredCoding(request.acceptEncoding));
  const headers = {
    ...resource.headers,
    ...(coding !== 'identity' && { 'content-encoding': coding }),
  };
  if (resource.status !== 200) return { status: resource.status, headers, body: bytes };
  if (matchesEtag(request.ifNoneMatch, etag)) {
    return { status: 304, headers: { ...cachingHeadersOf(resource.headers), etag } };
  }
  return { status: 200, headers: { ...headers, etag }, body: bytes };
}

/** Compares the etags weakly, because a proxy that compresses a body marks its etag as weak (RFC 9110 8.8.3.2). */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch
    .split(',')
    .some((listedEtag) => listedEtag.trim().replace(/^W\//, '') === etag);
}

const CACHING_HEADERS = ['cache-control', 'content-location', 'vary'];

/** The headers that a 304 must repeat (RFC 9110 15.4.5). */
function cachingHeadersOf(headers: Resource['headers']): Resource['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => CACHING_HEADERS.includes(name)),
  );
}

/** True when Accept gives Markdown at least the weight of HTML (RFC 9110 12.5.1). A wildcard does not mean Markdown. */
export function prefersMarkdown(accept: string | undefined): boolean {
  const markdownWeight = weightOf('text/markdown', accept) ?? 0;
  return markdownWeight > 0 && markdownWeight >= (weightOf('text/html', accept) ?? 0);
}

/**
 * Returns the coding that an Accept-Encoding header prefers (RFC 9110 12.5.3). If several codings have the same weight,
 * it is the one with the smallest answer. A reader that refuses every coding, even `identity`, gets the uncompressed
 * body.
 */
function preferredCoding(acceptEncoding: string | undefined): Coding {
  const otherWeight = weightOf('*', acceptEncoding) ?? 0;
  const brotliWeight = weightOf('br', acceptEncoding) ?? otherWeight;
  const gzipWeight = weightOf('gzip', acceptEncoding) ?? otherWeight;
  const bestWeight = Math.max(brotliWeight, gzipWeight);
  if (bestWeight === 0 || bestWeight < (weightOf('identity', acceptEncoding) ?? 0))
    return 'identity';
  return brotliWeight === bestWeight ? 'br' : 'gzip';
}

/** Returns the weight of a value in a header, from 0 to 1. Undefined when the header does not list it. */
function weightOf(value: string, header = ''): number | undefined {
  for (const range of header.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== value) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return undefined;
}
