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
  /** Origin-form, as the visitor sent it. */
  readonly target: string;
  /** The visitor's header fields. The fields that the proxy added to ask about the request are removed. */
  readonly headers: IncomingHttpHeaders;
}

export type ReadQuestion =
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

/** Fields that a proxy may add to one request to ask about it. */
const ASKING_FIELDS = 12;

const FIELDS = {
  'x-original': ['x-original-url', 'x-original-method'],
  'x-forwarded': ['x-forwarded-method', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-uri'],
  'in-place': ['x-forwarded-proto'],
} as const satisfies Record<Peer['describes'], readonly string[]>;

/** Fields that a proxy writes into every request: where it came from. */
const WRITTEN_BY_PROXY = ['x-forwarded-for', 'x-forwarded-proto'] as const;

/** Reads the question of a trusted peer. `target` is what stands behind the prefix of the check. */
export function readQuestion(
  req: VisitorRequest,
  peer: Peer,
  target: string,
  limits: QuestionLimits,
): ReadQuestion {
  const { headers } = req;
  const asking = FIELDS[peer.describes];
  const missing = missingOf(headers, ['x-forwarded-for', ...asking]);
  if (missing !== undefined) return { kind: 'incomplete', missing };
  const fields = req.rawHeaders.length / 2 - ASKING_FIELDS;
  return checkDraft(draftOf(req, peer, target), headers, { asking, fields, limits });
}

/**
 * Checks a request that a trusted peer describes outside of HTTP. The peer writes X-Forwarded-For and
 * X-Forwarded-Proto into the visitor's own headers.
 */
export function checkDescribed(
  draft: Omit<Draft, 'scheme'>,
  headers: IncomingHttpHeaders,
  fields: number,
  limits: QuestionLimits,
): ReadQuestion {
  const missing = missingOf(headers, WRITTEN_BY_PROXY);
  if (missing !== undefined) return { kind: 'incomplete', missing };
  const scheme = text(headers['x-forwarded-proto']);
  return checkDraft({ ...draft, scheme }, headers, { asking: [], fields, limits });
}

/** Without X-Forwarded-For every visitor would have the address of the proxy, and all would share its budgets. */
function missingOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  return names.find((name) => text(headers[name]) === '');
}

interface CheckedBy {
  /** Fields that the proxy added to ask. */
  readonly asking: readonly string[];
  /** How many fields the visitor sent, at least. */
  readonly fields: number;
  readonly limits: QuestionLimits;
}

function checkDraft(
  draft: Draft,
  headers: IncomingHttpHeaders,
  { asking, fields, limits }: CheckedBy,
): ReadQuestion {
  if (fields > limits.maxHeaders) return malformed(431, 'Too many header fields.');
  const scheme = schemeOf(draft.scheme);
  if (scheme === undefined) return malformed(400, 'Invalid scheme.');
  if (draft.method.length > VALIDATE.maxMethodLength || !isToken(draft.method))
    return malformed(400, 'Invalid method.');
  if (draft.method === 'CONNECT' || draft.method === 'TRACE') {
    return malformed(405, 'Method not allowed.');
  }
  if (!isHost(draft.host)) return malformed(400, 'One valid Host is required.');
  if (draft.target.length > limits.maxTargetLength) return malformed(414, 'URI too long.');
  if (!draft.target.startsWith('/') || !hasOnlyTargetCharacters(draft.target)) {
    return malformed(400, 'Invalid request target.');
  }
  const visitors = headersOfVisitor(headers, asking, draft.host);
  return { kind: 'question', question: { ...draft, scheme, headers: visitors } };
}

function draftOf(req: VisitorRequest, peer: Peer, target: string): Draft {
  const { headers } = req;
  switch (peer.describes) {
    case 'x-original':
      return { method: text(headers['x-original-method']), ...splitUrl(headers['x-original-url']) };
    case 'x-forwarded':
      return {
        method: text(headers['x-forwarded-method']),
        scheme: text(headers['x-forwarded-proto']),
        host: text(headers['x-forwarded-host']),
        target: text(headers['x-forwarded-uri']),
      };
    case 'in-place':
      return {
        method: req.method ?? '',
        scheme: text(headers['x-forwarded-proto']),
        host: headers.host ?? '',
        target,
      };
  }
}

/** Splits a URL and rewrites no character, so that the path stays the one that the origin gets. */
function splitUrl(url: string | string[] | undefined): Omit<Draft, 'method'> {
  const [, scheme = '', host = '', rest = ''] =
    /^([a-z]+):\/\/([^/?#]*)(.*)$/i.exec(text(url)) ?? [];
  return { scheme, host, target: rest.startsWith('/') ? rest : `/${rest}` };
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
  all: IncomingHttpHeaders,
  asking: readonly string[],
  host: string,
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const name of Object.keys(all)) {
    const added = name !== 'x-forwarded-proto' && asking.includes(name);
    if (!added && !name.startsWith('x-guard-')) headers[name] = all[name];
  }
  headers.host = host;
  return headers;
}

function text(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function malformed(status: number, why: string): ReadQuestion {
  return { kind: 'malformed', status, why };
}
