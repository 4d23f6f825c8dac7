import type { VisitorRequest } from '../message.ts';

/**
 * Is this request one request, and for everybody the same one? Node's parser (llhttp, strict) has
 * already refused obsolete folding, bad chunk sizes, two Content-Lengths and Transfer-Encoding with
 * Content-Length. This refuses what it lets through (RFC 9112 section 3.2, 6.1, 11.2).
 */
export type Framing =
  | {
      readonly kind: 'sound';
      /** Host header as sent. */
      readonly host: string;
      /** Origin-form: path and query exactly as the visitor sent them. */
      readonly target: string;
      readonly hasBody: boolean;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

interface FramingLimits {
  readonly maxHeaders: number;
  readonly maxTargetLength: number;
}

/**
 * Reads the framing of one request. The server joins duplicate headers, so that a second Host,
 * Content-Length or Transfer-Encoding shows here as a comma.
 */
export function readFraming(req: VisitorRequest, limits: FramingLimits): Framing {
  if (req.httpVersionMajor !== 1) return refused(505, 'HTTP version not supported.');
  if (req.rawHeaders.length > 2 * limits.maxHeaders) return refused(431, 'Too many header fields.');
  if (req.method === 'CONNECT' || req.method === 'TRACE')
    return refused(405, 'Method not allowed.');

  const { host, 'transfer-encoding': coding, 'content-length': length } = req.headers;
  if (host === undefined || !isHost(host)) return refused(400, 'One valid Host is required.');

  const body = bodyOf(coding, length, req.httpVersionMinor);
  if (body === 'unknown coding') return refused(501, 'Transfer coding not supported.');
  if (body === 'ambiguous') return refused(400, 'Ambiguous message length.');

  const url = req.url ?? '';
  if (url.length > limits.maxTargetLength) return refused(414, 'URI too long.');
  const target = originForm(url, host);
  if (target === undefined) return refused(400, 'Invalid request target.');
  return { kind: 'sound', host, target, hasBody: body === 'some' };
}

function refused(status: number, why: string): Framing {
  return { kind: 'refused', status, why };
}

function bodyOf(
  coding: string | undefined,
  length: string | undefined,
  minor: number,
): 'none' | 'some' | 'ambiguous' | 'unknown coding' {
  if (coding !== undefined) {
    if (length !== undefined || minor === 0) return 'ambiguous';
    // Any other coding would have to be undone here, since the origin gets a framing of our own.
    return coding.toLowerCase() === 'chunked' ? 'some' : 'unknown coding';
  }
  if (length === undefined || length === '0') return 'none';
  for (let i = 0; i < length.length; i++) {
    const code = length.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return 'ambiguous';
  }
  return length.length <= 15 ? 'some' : 'ambiguous';
}

/** The characters of a host name or address and a port. Everything else would let a Host header rewrite the URL that is judged. */
export function isHost(host: string): boolean {
  if (host.length === 0 || host.length > 255) return false;
  for (let i = 0; i < host.length; i++) {
    const code = host.charCodeAt(i);
    const letter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
    const digitOrColon = code >= 0x30 && code <= 0x3a;
    // - . _ [ ]
    const mark = code === 0x2d || code === 0x2e || code === 0x5f || code === 0x5b || code === 0x5d;
    if (!letter && !digitOrColon && !mark) return false;
  }
  return true;
}

/**
 * RFC 9112 section 3.2: origin-form stays as it is; absolute-form becomes origin-form when it names
 * the same authority as Host; anything else (`*`, authority-form, a fragment, controls) is undefined.
 */
function originForm(url: string, host: string): string | undefined {
  if (url.charCodeAt(0) === 0x2f) return hasOnlyTargetCharacters(url) ? url : undefined;

  const scheme = url.slice(0, 8).toLowerCase();
  const start = scheme === 'https://' ? 8 : scheme.startsWith('http://') ? 7 : 0;
  if (start === 0 || !hasOnlyTargetCharacters(url)) return undefined;

  let end = start;
  while (end < url.length && url[end] !== '/' && url[end] !== '?') end++;
  if (url.slice(start, end).toLowerCase() !== host.toLowerCase()) return undefined;
  const rest = url.slice(end);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

export function hasOnlyTargetCharacters(url: string): boolean {
  for (let i = 0; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code <= 0x20 || code === 0x23 || code === 0x7f) return false;
  }
  return true;
}
