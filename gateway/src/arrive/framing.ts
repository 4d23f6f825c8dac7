import { StreamRequest } from '../http2/stream-request.ts';
import type { VisitorRequest } from '../message/message.ts';

/**
 * Whether every server on the way to the origin reads the bytes as the same single request. Node's parser has
 * already refused obsolete folding, bad chunk sizes, two Content-Lengths, and Transfer-Encoding with Content-Length.
 * This module refuses the ambiguous requests that the parser accepts (RFC 9112 section 3.2, 6.1, 11.2).
 */
export type Framing =
  | {
      readonly kind: 'sound';
      /** Host header as sent. */
      readonly host: string;
      /** Path and query exactly as the visitor sent them (origin-form). With OPTIONS it can also be `*`. */
      readonly target: string;
      readonly hasBody: boolean;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly why: string };

interface FramingLimits {
  readonly maxHeaders: number;
  readonly maxTargetLength: number;
}

export function readFraming(req: VisitorRequest, limits: FramingLimits): Framing {
  return req instanceof StreamRequest
    ? readStreamFraming(req, limits)
    : readMessageFraming(req, limits);
}

/**
 * A message of HTTP/1.1. The server joins duplicate headers, so that a second Host,
 * Content-Length or Transfer-Encoding shows here as a comma.
 */
function readMessageFraming(req: VisitorRequest, limits: FramingLimits): Framing {
  if (req.httpVersionMajor !== 1) return refuse(505, 'HTTP version not supported.');
  if (req.rawHeaders.length > 2 * limits.maxHeaders) return refuse(431, 'Too many header fields.');
  if (req.method === 'CONNECT' || req.method === 'TRACE') return refuse(405, 'Method not allowed.');

  const { host, 'transfer-encoding': coding, 'content-length': length } = req.headers;
  if (host === undefined || !isHost(host)) return refuse(400, 'One valid Host is required.');

  const body = bodyOf(coding, length, req.httpVersionMinor);
  if (body === 'unknown coding') return refuse(501, 'Transfer coding not supported.');
  if (body === 'ambiguous') return refuse(400, 'Ambiguous message length.');

  const url = req.url ?? '';
  if (url.length > limits.maxTargetLength) return refuse(414, 'URI too long.');
  const target = originForm(url, host, req.method === 'OPTIONS');
  if (target === undefined) return refuse(400, 'Invalid request target.');
  return { kind: 'sound', host, target, hasBody: body === 'some' };
}

/** A request of HTTP/2 (RFC 9113 section 8.3.1). It gets the same answers as a message of HTTP/1.1. */
function readStreamFraming(req: StreamRequest, limits: FramingLimits): Framing {
  const { fields, hasBody } = req;
  if (fields.fault !== undefined) return refuse(400, fields.fault);
  if (fields.rawHeaders.length > 2 * limits.maxHeaders) {
    return refuse(431, 'Too many header fields.');
  }
  const { method, path, authority, headers } = fields;
  if (method === 'CONNECT' || method === 'TRACE') return refuse(405, 'Method not allowed.');
  if (!isHost(authority)) return refuse(400, 'One valid Host is required.');

  const length = headers['content-length'];
  if (
    length !== undefined &&
    (!/^(?:0|[1-9]\d{0,14})$/.test(length) || (!hasBody && length !== '0'))
  ) {
    return refuse(400, 'Ambiguous message length.');
  }
  if (path.length > limits.maxTargetLength) return refuse(414, 'URI too long.');
  const isAsterisk = path === '*' && method === 'OPTIONS';
  if (!isAsterisk && (!path.startsWith('/') || !hasOnlyTargetCharacters(path))) {
    return refuse(400, 'Invalid request target.');
  }
  return { kind: 'sound', host: authority, target: path, hasBody };
}

function refuse(status: number, why: string): Framing {
  return { kind: 'refused', status, why };
}

function bodyOf(
  coding: string | undefined,
  length: string | undefined,
  minorVersion: number,
): 'none' | 'some' | 'ambiguous' | 'unknown coding' {
  if (coding !== undefined) {
    if (length !== undefined || minorVersion === 0) return 'ambiguous';
    // The gateway frames the body again, so it would have to decode any other coding.
    return coding.toLowerCase() === 'chunked' ? 'some' : 'unknown coding';
  }
  if (length === undefined || length === '0') return 'none';
  // The grammar allows a leading zero, but an origin may read such a number as octal.
  const isNumber = length.length <= 15 && isMadeOf(isDigit, length, 0, length.length);
  return isNumber && !length.startsWith('0') ? 'some' : 'ambiguous';
}

/**
 * Whether a text is a host name or address with at most one port (RFC 9110 section 7.2). Other characters are refused,
 * because a Host header with them could rewrite the URL that is judged.
 */
export function isHost(host: string): boolean {
  if (host.length > 255) return false;
  const isLiteral = host.charCodeAt(0) === 0x5b;
  const bracket = isLiteral ? host.indexOf(']') : -1;
  const colon = host.indexOf(':', bracket + 1);
  const end = colon === -1 ? host.length : colon;
  const isName = isLiteral
    ? bracket === end - 1 && isMadeOf(isAddressCharacter, host, 1, bracket)
    : isMadeOf(isNameCharacter, host, 0, end);
  return isName && (end === host.length || isPort(host.slice(end)));
}

function isMadeOf(
  isAllowed: (code: number) => boolean,
  text: string,
  from: number,
  to: number,
): boolean {
  for (let i = from; i < to; i++) if (!isAllowed(text.charCodeAt(i))) return false;
  return from < to;
}

function isNameCharacter(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  // The characters `-`, `.` and `_`.
  return isLetter || isDigit(code) || code === 0x2d || code === 0x2e || code === 0x5f;
}

/**
 * Whether an IPv6 address can have this character (RFC 3986 section 3.2.2). An IPv6 address can end in a dotted IPv4
 * address.
 */
function isAddressCharacter(code: number): boolean {
  const isHexLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66;
  return isHexLetter || isDigit(code) || code === 0x3a || code === 0x2e;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Whether a text is a colon and a number of at most 16 bits. RFC 3986 section 3.2.3 allows a colon without a number.
 */
function isPort(text: string): boolean {
  if (text === ':') return true;
  const isNumber = text.length <= 6 && isMadeOf(isDigit, text, 1, text.length);
  return isNumber && Number(text.slice(1)) <= 65_535;
}

/**
 * The target in origin-form (RFC 9112 section 3.2). An absolute-form is accepted when it names the same authority
 * as Host. With OPTIONS, the target can be `*`, and an absolute-form without a path means the same (section 3.2.4).
 * Undefined for anything else: authority-form, a fragment, control characters.
 */
function originForm(url: string, host: string, isOptions: boolean): string | undefined {
  if (url === '*') return isOptions ? url : undefined;
  if (url.charCodeAt(0) === 0x2f) return hasOnlyTargetCharacters(url) ? url : undefined;

  const start = schemeEnd(url);
  if (start === 0 || !hasOnlyTargetCharacters(url)) return undefined;

  let end = start;
  while (end < url.length && url[end] !== '/' && url[end] !== '?') end++;
  if (url.slice(start, end).toLowerCase() !== host.toLowerCase()) return undefined;
  const rest = url.slice(end);
  if (rest === '' && isOptions) return '*';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Length of `http://` or `https://` in upper or lower case. 0 when the URL begins with neither. */
function schemeEnd(url: string): number {
  const scheme = url.slice(0, 8).toLowerCase();
  if (scheme === 'https://') return 8;
  return scheme.startsWith('http://') ? 7 : 0;
}

export function hasOnlyTargetCharacters(url: string): boolean {
  for (let i = 0; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code <= 0x20 || code === 0x23 || code === 0x7f) return false;
  }
  return true;
}
