import type { ForwardedHeader } from '@guard/config/settings/schema';
import type { Visit } from '../arrive/arrive.ts';
import type { AnswerAdditions, ForwardPlan } from '../judge/request-plan.ts';
import { connectionOptions, type HeaderKind, headerKind } from '../message/field-names.ts';
import {
  asksForContinue,
  type BelievedFields,
  FieldList,
  type FieldTerms,
  forwardsLeft,
  nextForwards,
  nextVia,
} from '../message/message.ts';
import type { OriginRequest, RequestBody } from '../origin/origin.ts';

export const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/**
 * Schemes that sign in a connection, and not a request (RFC 4559). Origins differ in how they read a value that begins
 * with other bytes. So the pattern finds the name anywhere in the value.
 */
const CONNECTION_LOGIN = /\b(?:ntlm|negotiate)\b/i;

export function requestFor(
  visit: Visit,
  plan: ForwardPlan,
  body: RequestBody | undefined,
): OriginRequest {
  const { req, target, connection } = visit;
  const { visitorFields, gatewayFields } = fieldsForOrigin(visit, plan);
  return {
    method: req.method ?? 'GET',
    target,
    visitorFields,
    gatewayFields,
    body,
    // A proxy sends requests of many visitors on one connection.
    visitor: connection.trusted ? undefined : req.socket,
    authenticatesConnection:
      req.headers.authorization !== undefined && signsInConnection(req.rawHeaders),
  };
}

/**
 * Whether an Authorization field signs in the connection. The raw fields are read, because `req.headers` has only the
 * first of two Authorization fields. The origin gets both, and can read the second one.
 */
function signsInConnection(raw: readonly string[]): boolean {
  return raw.some(
    (value, index) =>
      index % 2 === 1 &&
      CONNECTION_LOGIN.test(value) &&
      raw[index - 1]?.toLowerCase() === 'authorization',
  );
}

/**
 * The header section for the origin: the visitor's fields in their order and spelling, duplicates included, and
 * then the gateway's own. Hop-by-hop fields are removed. Fields that say where the request came from are kept only
 * from a trusted proxy. Fields that ask for another method are removed, unless the site keeps them. X-Guard-*
 * fields of the visitor are removed. When the same header section came before, its result is used again.
 */
export function fieldsForOrigin(
  visit: Visit,
  plan: ForwardPlan,
): Pick<OriginRequest, 'visitorFields' | 'gatewayFields'> {
  const { notes } = visit.req;
  const terms: FieldTerms = {
    trusted: visit.connection.trusted,
    believedFields: visit.client.believedFields,
    keepsMethodOverride: visit.site.config.settings.keep_method_override,
  };
  const gatewayFields = fieldsOfGateway(visit, plan);
  if (notes?.originFields !== undefined && areSameTerms(notes.originFields.terms, terms)) {
    return { visitorFields: notes.originFields.fields, gatewayFields };
  }
  const visitorFields = new FieldList(fieldsOfVisitor(visit, terms));
  if (notes !== undefined) notes.originFields = { fields: visitorFields, terms };
  return { visitorFields, gatewayFields };
}

function areSameTerms(first: FieldTerms, second: FieldTerms): boolean {
  return (
    first.trusted === second.trusted &&
    first.believedFields === second.believedFields &&
    first.keepsMethodOverride === second.keepsMethodOverride
  );
}

function fieldsOfVisitor(visit: Visit, terms: FieldTerms): string[] {
  const { req } = visit;
  const raw = req.rawHeaders;
  const connectionNames = connectionOptions(req.headers.connection);
  const fields: string[] = [];

  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    const kind = headerKind(name);
    if (!goesToOrigin(kind, visit, terms)) continue;
    if (connectionNames?.has(name.toLowerCase()) === true) continue;
    const forwards = kind === 'max-forwards' ? forwardsLeft(req) : undefined;
    fields.push(name, forwards === undefined ? value : nextForwards(forwards));
  }
  return fields;
}

function goesToOrigin(kind: HeaderKind, visit: Visit, terms: FieldTerms): boolean {
  const { req, hasBody } = visit;
  switch (kind) {
    case 'end-to-end':
    case 'max-forwards':
      return true;
    // Without a body the length is 0: framing.ts refuses any other value.
    case 'content-length':
      return true;
    case 'claim':
      return terms.trusted;
    case 'forwarded':
      return isBelieved('forwarded', terms.believedFields);
    case 'method-override':
      return terms.keepsMethodOverride;
    case 'expect':
      return asksForContinue(req, hasBody);
    // Only chunks carry trailers.
    case 'trailer':
      return hasBody && req.headers['content-length'] === undefined;
    case 'via':
    case 'rewritten':
    case 'hop-by-hop':
    case 'impostor':
    case 'connection':
      return false;
  }
}

function isBelieved(header: ForwardedHeader, believedFields: BelievedFields): boolean {
  return believedFields === 'both' || believedFields === header;
}

function fieldsOfGateway(visit: Visit, plan: ForwardPlan): string[] {
  const { req, connection, client, host } = visit;
  const fields: string[] = [];
  const earlierHeaders = isBelieved('x-forwarded-for', client.believedFields)
    ? req.headers
    : undefined;
  const chain =
    earlierHeaders?.['x-forwarded-for'] ?? (client.from === 'forwarded' ? client.ip : undefined);
  const hop = connection.peerIp;
  fields.push('X-Forwarded-For', chain === undefined ? hop : `${String(chain)}, ${hop}`);
  fields.push('X-Forwarded-Proto', client.scheme);
  fields.push('X-Forwarded-Host', String(earlierHeaders?.['x-forwarded-host'] ?? host));
  fields.push('Via', nextVia(req));
  addOriginFields(fields, plan);
  return fields;
}

/** Adds the X-Guard-* fields for the origin. */
export function addOriginFields(
  fields: string[],
  { decision, requestId, visitor }: ForwardPlan,
): void {
  fields.push('X-Guard-Decision', decision);
  if (requestId !== undefined) fields.push('X-Guard-Request-Id', requestId);
  if (visitor.session !== '') fields.push('X-Guard-Session', visitor.session);
  if (visitor.crawler !== '') fields.push('X-Guard-Crawler', visitor.crawler);
}

/**
 * The header section for the visitor, as names and values in turn: the origin's fields in its order and spelling,
 * without hop-by-hop fields, and the additions of the validator.
 */
export function headersForVisitor(
  raw: readonly string[],
  additions: AnswerAdditions | undefined,
  canHaveTrailers: boolean,
): string[] {
  const fields: string[] = [];
  const trailerFields: string[] = [];
  const connectionValues: string[] = [];
  let hasLength = false;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    const kind = headerKind(name);
    if (kind === 'hop-by-hop') continue;
    if (kind === 'content-length') hasLength = true;
    if (kind === 'connection') connectionValues.push(value);
    else if (kind === 'trailer') trailerFields.push(name, value);
    else fields.push(name, value);
  }
  // Node refuses to announce trailers on an answer of known length.
  if (canHaveTrailers && !hasLength) fields.push(...trailerFields);
  const connectionNames =
    connectionValues.length === 0 ? undefined : connectionOptions(connectionValues.join(','));
  const keptFields = connectionNames === undefined ? fields : withoutNamed(fields, connectionNames);
  return additions === undefined ? keptFields : withAdditions(keptFields, additions);
}

function withAdditions(fields: readonly string[], additions: AnswerAdditions): string[] {
  const result: string[] = [];
  let cacheControl = '';
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    const value = fields[i + 1] ?? '';
    const lower = name.toLowerCase();
    if (additions.replacedNames.has(lower)) continue;
    if (additions.isPersonal && OF_SHARED_CACHES.test(lower)) continue;
    if (additions.isPersonal && lower === 'cache-control') {
      cacheControl = cacheControl === '' ? value : `${cacheControl}, ${value}`;
    } else {
      result.push(name, value);
    }
  }
  result.push(...additions.fields);
  if (additions.isPersonal && !additions.replacedNames.has('cache-control')) {
    result.push('Cache-Control', makePrivate(cacheControl));
  }
  return result;
}

/**
 * Fields for caches between origin and visitor: names with the suffix of RFC 9213, and the names of single
 * products. Such a cache then ignores Cache-Control, and would give the session cookie of one visitor to all others.
 */
const OF_SHARED_CACHES = /^(?:.+-cache-control|surrogate-control|edge-control|x-accel-expires)$/;

/** With field names, `private` keeps only these fields out of shared caches (RFC 9111 section 5.2.2.7). */
const PRIVATE = /(?:^|,)\s*private\s*(?:,|$)/i;
/** With `must-understand`, a shared cache that knows the status ignores `no-store` (RFC 9111 section 5.2.2.3). */
const NO_STORE = /^(?!.*must-understand).*(?:^|,)\s*no-store\s*(?:,|$)/i;

/** RFC 9111 section 7.3: a shared cache may store an answer with Set-Cookie, so `private` is added. */
function makePrivate(cacheControl: string): string {
  if (PRIVATE.test(cacheControl) || NO_STORE.test(cacheControl)) return cacheControl;
  return cacheControl === '' ? 'private' : `${cacheControl}, private`;
}

/**
 * The origin's fields without hop-by-hop fields and without Content-Length, which has no meaning in an interim
 * answer (RFC 9110 section 8.6).
 */
export function interimHeadersForVisitor(raw: readonly string[]): string[] {
  return withoutNamed(headersForVisitor(raw, undefined, false), CONTENT_LENGTH);
}

/** A flat name-value list without the fields of these lower-case names. */
export function withoutNamed(fields: readonly string[], names: ReadonlySet<string>): string[] {
  const keptFields: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    if (!names.has(name.toLowerCase())) keptFields.push(name, fields[i + 1] ?? '');
  }
  return keptFields;
}

/**
 * Fields that must not come in a trailer section (RFC 9110 section 6.5.1). Guard decides before the trailers arrive,
 * and some servers merge them into the header section afterwards.
 */
const NEVER_TRAILERS: ReadonlySet<string> = new Set(
  [
    'host cache-control expires age vary date location retry-after pragma range if-match',
    'if-none-match if-modified-since if-unmodified-since if-range authorization',
    'www-authenticate cookie set-cookie content-encoding content-type content-range',
  ].flatMap((line) => line.split(' ')),
);

function isTrailer(name: string): boolean {
  const lower = name.toLowerCase();
  if (NEVER_TRAILERS.has(lower) || OF_SHARED_CACHES.test(lower)) return false;
  return headerKind(name) === 'end-to-end';
}

/** The trailer section for the next hop. Fields with claims and fields that look like X-Guard-* are removed too. */
export function keptTrailers(raw: readonly string[]): [string, string][] {
  const trailers: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (isTrailer(name)) trailers.push([name, raw[i + 1] ?? '']);
  }
  return trailers;
}
