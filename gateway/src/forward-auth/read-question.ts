import type { IncomingHttpHeaders } from 'node:http';
import { VALIDATE } from '@guard/config/contract/limits';
import { hasOnlyTargetCharacters, isHost } from '../arrive/framing.ts';
import { isToken } from '../base/characters.ts';
import type { VisitorRequest } from '../message/message.ts';
import type { Peer } from './peers.ts';

/** The visitor's request, as the proxy in front of it describes it. */
export interface Question {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** The target in origin-form, as the visitor sent it. */
  readonly target: string;
  /** The visitor's header fields. The fields that the proxy added to ask about the request are removed. */
  readonly headers: IncomingHttpHeaders;
}

export type QuestionReading =
  | { readonly kind: 'question'; readonly question: Question }
  /** A field that the proxy has to send is missing. Its configuration is wrong. */
  | { readonly kind: 'incomplete'; readonly missing: string }
  /** The visitor's request is malformed and cannot be judged. */
  | { readonly kind: 'malformed'; readonly status: number; readonly why: string };

export interface QuestionLimits {
  readonly maxHeaders: number;
  readonly maxTargetLength: number;
}

/** The parts of a request as they were sent, before they are checked. */
interface Draft {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
}

/** The limit for the fields that a proxy adds to one request to ask about it. */
const MAX_ASKING_FIELDS = 12;

const ASKING_FIELDS_OF = {
  'x-original': ['x-original-url', 'x-original-method'],
  'x-forwarded': ['x-forwarded-method', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-uri'],
  'in-place': ['x-forwarded-proto'],
} as const satisfies Record<Peer['describes'], readonly string[]>;

/** Fields in which a proxy writes where a request came from. The proxy writes them into every request. */
const WRITTEN_BY_PROXY = ['x-forwarded-for', 'x-forwarded-proto'] as const;

/** Reads the question of a trusted peer. `target` is the text after the prefix of the check. */
export function readQuestion(
  req: VisitorRequest,
  peer: Peer,
  target: string,
  limits: QuestionLimits,
): QuestionReading {
  const { headers } = req;
  const askingFields = ASKING_FIELDS_OF[peer.describes];
  const missing = missingOf(headers, ['x-forwarded-for', ...askingFields]);
  if (missing !== undefined) return { kind: 'incomplete', missing };
  const fieldCount = req.rawHeaders.length / 2 - MAX_ASKING_FIELDS;
  return checkDraft(draftOf(req, peer, target), headers, { askingFields, fieldCount, limits });
}

/**
 * Checks a request that a trusted peer describes outside of HTTP. The peer writes X-Forwarded-For and
 * X-Forwarded-Proto into the visitor's own headers.
 */
export function checkDescribed(
  draft: Omit<Draft, 'scheme'>,
  headers: IncomingHttpHeaders,
  fieldCount: number,
  limits: QuestionLimits,
): QuestionReading {
  const missing = missingOf(headers, WRITTEN_BY_PROXY);
  if (missing !== undefined) return { kind: 'incomplete', missing };
  const scheme = singleValue(headers['x-forwarded-proto']);
  return checkDraft({ ...draft, scheme }, headers, { askingFields: [], fieldCount, limits });
}

/** Without X-Forwarded-For every visitor would have the address of the proxy, and all would share its budgets. */
function missingOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  return names.find((name) => singleValue(headers[name]) === '');
}

interface CheckInput {
  /** Fields that the proxy added to ask about the request. */
  readonly askingFields: readonly string[];
  /** The visitor sent at least this many fields. */
  readonly fieldCount: number;
  readonly limits: QuestionLimits;
}

function checkDraft(
  draft: Draft,
  headers: IncomingHttpHeaders,
  { askingFields, fieldCount, limits }: CheckInput,
): QuestionReading {
  if (fieldCount > limits.maxHeaders) return malformedQuestion(431, 'Too many header fields.');
  const scheme = schemeOf(draft.scheme);
  if (scheme === undefined) return malformedQuestion(400, 'Invalid scheme.');
  if (draft.method.length > VALIDATE.maxMethodLength || !isToken(draft.method))
    return malformedQuestion(400, 'Invalid method.');
  if (draft.method === 'CONNECT' || draft.method === 'TRACE') {
    return malformedQuestion(405, 'Method not allowed.');
  }
  if (!isHost(draft.host)) return malformedQuestion(400, 'One valid Host is required.');
  if (draft.target.length > limits.maxTargetLength) return malformedQuestion(414, 'URI too long.');
  if (!draft.target.startsWith('/') || !hasOnlyTargetCharacters(draft.target)) {
    return malformedQuestion(400, 'Invalid request target.');
  }
  const visitorHeaders = headersOfVisitor(headers, askingFields, draft.host);
  return { kind: 'question', question: { ...draft, scheme, headers: visitorHeaders } };
}

function draftOf(req: VisitorRequest, peer: Peer, target: string): Draft {
  const { headers } = req;
  switch (peer.describes) {
    case 'x-original':
      return {
        method: singleValue(headers['x-original-method']),
        ...splitUrl(headers['x-original-url'], headers.host),
      };
    case 'x-forwarded':
      return {
        method: singleValue(headers['x-forwarded-method']),
        scheme: singleValue(headers['x-forwarded-proto']),
        host: singleValue(headers['x-forwarded-host']),
        target: singleValue(headers['x-forwarded-uri']),
      };
    case 'in-place':
      return {
        method: req.method ?? '',
        scheme: singleValue(headers['x-forwarded-proto']),
        host: headers.host ?? '',
        target,
      };
  }
}

/**
 * Splits a URL and rewrites no character, so that the path stays the path that the origin gets. The proxy made the URL
 * from the visitor's Host and target. With a `Host: shop.example?` or `shop.example/x`, a part of the Host would be
 * read as target. So the target must begin with a slash, and the Host must be valid.
 */
function splitUrl(
  url: string | string[] | undefined,
  hostField: string | undefined,
): Omit<Draft, 'method'> {
  const [, scheme = '', host = '', target = ''] =
    /^([a-z]+):\/\/([^/?#]*)(.*)$/i.exec(singleValue(url)) ?? [];
  const isUnclear = hostField !== undefined && !isHost(hostField);
  return { scheme, host: isUnclear ? '' : host, target };
}

/** Proxies call the scheme of a WebSocket handshake by its own name. */
function schemeOf(scheme: string): Question['scheme'] | undefined {
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'ws':
      return 'http';
    case 'https':
    case 'wss':
      return 'https';
    default:
      return undefined;
  }
}

/** X-Forwarded-For and -Proto stay. They tell the validator that a proxy may have changed the headers. */
function headersOfVisitor(
  allHeaders: IncomingHttpHeaders,
  askingFields: readonly string[],
  host: string,
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const name of Object.keys(allHeaders)) {
    const isAdded = name !== 'x-forwarded-proto' && askingFields.includes(name);
    if (!isAdded && !name.startsWith('x-guard-')) headers[name] = allHeaders[name];
  }
  headers.host = host;
  return headers;
}

function singleValue(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function malformedQuestion(status: number, why: string): QuestionReading {
  return { kind: 'malformed', status, why };
}
