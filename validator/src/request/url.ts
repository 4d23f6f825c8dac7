import { canonicalHost } from '@guard/config/matching/host';
import { domainToASCII } from 'node:url';

/** The parts of a request URL, as sent: nothing is decoded, resolved or lower-cased but scheme and host. */
export interface RequestUrl {
  readonly scheme: string;
  /** Host without port and trailing dot, in lower case, IPv6 in brackets and in its RFC 5952 form. */
  readonly host: string;
  /** Raw path, with its leading slash and without the query. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

/**
 * Splits an absolute http(s) URL by hand. `new URL` would resolve `%2e%2e` and backslashes, and
 * policy must see the bytes the origin sees. Undefined when it is no such URL.
 */
export function splitUrl(url: string): RequestUrl | undefined {
  const afterScheme = url.indexOf('://');
  if (afterScheme < 4 || afterScheme > 5) return undefined;
  const scheme = schemeOf(url, afterScheme);
  if (scheme === undefined) return undefined;
  const start = afterScheme + 3;
  const authorityEnd = firstOf(url, start);
  const host = hostOf(url.slice(start, authorityEnd));
  if (host === undefined) return undefined;
  const fragment = url.indexOf('#', authorityEnd);
  const end = fragment === -1 ? url.length : fragment;
  const question = url.indexOf('?', authorityEnd);
  const pathEnd = question === -1 || question > end ? end : question;
  const path = url.slice(authorityEnd, pathEnd);
  return {
    scheme,
    host,
    path: path.startsWith('/') ? path : `/${path}`,
    query: pathEnd === end ? '' : url.slice(pathEnd + 1, end),
  };
}

function schemeOf(url: string, end: number): 'http' | 'https' | undefined {
  if (url.startsWith('https:')) return 'https';
  const scheme = url.slice(0, end).toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

/** Where the authority ends: at the first slash, backslash, question mark or hash. */
function firstOf(url: string, from: number): number {
  for (let i = from; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code === 47 || code === 63 || code === 35 || code === 92) return i;
  }
  return url.length;
}

/** The host as rules compare it. A name in Unicode is the same name in ASCII (RFC 5891). */
function hostOf(authority: string): string | undefined {
  const host = canonicalHost(isAscii(authority) ? authority : asciiOf(authority));
  return host === '' ? undefined : host;
}

/** Empty if the text is not a domain name. A text with a port is not. */
function asciiOf(authority: string): string {
  return domainToASCII(authority.replace(/:\d*$/, ''));
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return false;
  }
  return true;
}
