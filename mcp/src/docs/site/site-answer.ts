import type { Coding, Resource } from './resource.ts';

/** What of a GET or HEAD decides about its answer. */
export interface SiteRequest {
  /** With a leading slash, as it was sent. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Takes one search of those that the reader may make; 0, or milliseconds until there is one. */
  readonly takeSearch: () => number;
}

export interface SiteAnswer {
  readonly status: 200 | 304 | 400 | 404 | 429;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent with 304. */
  readonly body?: Buffer;
}

/**
 * A resource in the coding that the reader likes best, or 304 when that is what the reader has
 * already (RFC 9110 13.1.2). Only what was found is compared: an error has no validator.
 */
export function answerWith(resource: Resource, request: SiteRequest): SiteAnswer {
  const { coding, bytes, etag } = resource.encoded(preferredCoding(request.acceptEncoding));
  const headers = {
    ...resource.headers,
    ...(coding !== 'identity' && { 'content-encoding': coding }),
  };
  if (resource.status !== 200) return { status: resource.status, headers, body: bytes };
  if (names(request.ifNoneMatch, etag)) {
    return { status: 304, headers: { ...onlyCaching(resource.headers), etag } };
  }
  return { status: 200, headers: { ...headers, etag }, body: bytes };
}

/** Weak comparison: a proxy that repacks a body marks our validator as weak (RFC 9110 8.8.3.2). */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag);
}

const CACHING = ['cache-control', 'content-location', 'vary'];

/** The headers that a 304 repeats (RFC 9110 15.4.5). */
function onlyCaching(headers: Resource['headers']): Resource['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CACHING.includes(name)));
}

/**
 * True when an Accept header asks for Markdown by name, at least as much as for HTML by name
 * (RFC 9110 12.5.1). A wildcard asks for nothing in particular, so a browser and curl get HTML.
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  const markdown = weightOf('text/markdown', accept) ?? 0;
  return markdown > 0 && markdown >= (weightOf('text/html', accept) ?? 0);
}

/**
 * The coding an Accept-Encoding header likes best (RFC 9110 12.5.3); of equals the smaller answer.
 * A reader that refuses everything, `identity` too, is given the plain body: better than none.
 */
function preferredCoding(acceptEncoding: string | undefined): Coding {
  const others = weightOf('*', acceptEncoding) ?? 0;
  const brotli = weightOf('br', acceptEncoding) ?? others;
  const gzip = weightOf('gzip', acceptEncoding) ?? others;
  const best = Math.max(brotli, gzip);
  if (best === 0 || best < (weightOf('identity', acceptEncoding) ?? 0)) return 'identity';
  return brotli === best ? 'br' : 'gzip';
}

/** The weight that a header gives a name, 0 to 1; undefined when it does not mention it. */
function weightOf(wanted: string, header = ''): number | undefined {
  for (const range of header.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== wanted) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return undefined;
}
