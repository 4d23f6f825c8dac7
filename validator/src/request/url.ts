import { canonicalHost } from '@guard/config/matching/host';
import { domainToASCII } from 'node:url';

/** The parts of a request URL. Path and query are as sent. Scheme and host are in lower case. */
export interface RequestUrl {
  readonly scheme: string;
  /** Host in lower case, without port and trailing dot. IPv6 is in brackets and in its RFC 5952 form. */
  readonly host: string;
  /** Raw path, with its leading slash and without the query. */
  readonly path: string;
  /** The query without the question mark. Empty when there is none. */
  readonly query: string;
}

/**
 * Splits an absolute http(s) URL. `new URL` would resolve `%2e%2e` and backslashes, but rules must see the bytes that
 * the origin sees. Undefined when the text is no absolute http(s) URL.
 */
export function splitUrl(url: string): RequestUrl | undefined {
  const afterScheme = url.indexOf('://');
  if (afterScheme < 4 || afterScheme > 5) return undefined;
  const scheme = schemeOf(url, afterScheme);
  if (scheme === undefined) return undefined;
  const start = afterScheme + 3;
  const authorityEnd = endOfAuthority(url, start);
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

/** The index where the authority ends: the first slash, backslash, question mark or hash. */
function endOfAuthority(url: string, from: number): number {
  for (let i = from; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code === 47 || code === 63 || code === 35 || code === 92) return i;
  }
  return url.length;
}

/**
 * The host in the form that rules compare. A Unicode name is converted to ASCII (RFC 5891). Undefined when the text is
 * no host.
 */
function hostOf(authority: string): string | undefined {
  const host = canonicalHost(isAscii(authority) ? authority : asciiOf(authority));
  return host === '' ? undefined : host;
}

/** The domain name in ASCII, without a port. Empty when the text is no domain name. */
function asciiOf(authority: string): string {
  return domainToASCII(authority.replace(/:\d*$/, ''));
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}
