import { preferredCoding } from './accept.ts';
import type { Resource } from './resource.ts';

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

/** Of the headers those that a 304 repeats (RFC 9110 15.4.5). */
function onlyCaching(headers: Resource['headers']): Resource['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => CACHING.includes(name)));
}
