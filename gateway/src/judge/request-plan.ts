import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Log, ResponseExtras, ValidateOutcome } from '@guard/config/contract/ports';
import { presentedSessions } from '@guard/config/contract/presented-session';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { UUID } from '@guard/config/contract/uuid';
import type { Cookie, ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { Inquiry } from '../arrive/arrive.ts';
import { isToken } from '../base/characters.ts';
import type { OpenEvent } from './open-event.ts';
import type { Connection } from '../listen/connection.ts';
import { headerKind } from '../message/field-names.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';

/** What the gateway does with one request: it forwards the request to the origin, or answers it itself. */
export type RequestPlan =
  | { readonly kind: 'forward'; readonly forward: ForwardPlan }
  | {
      readonly kind: 'served' | 'refused';
      readonly answer: OwnAnswer;
      /** The same as ForwardPlan.event. */
      readonly event: OpenEvent | undefined;
    };

/** The event of a decision. The code that enforces the plan records it. */
export function eventOf(plan: RequestPlan): OpenEvent | undefined {
  return plan.kind === 'forward' ? plan.forward.event : plan.event;
}

/**
 * A request that goes to its origin. `decision` says why it goes there, and the origin reads it in X-Guard-Decision.
 * `allow`: the validator allows the request. `not_matched`: the path is not protected (contract 2.2). `fail_open`: no
 * usable answer came (contract 7.1). `observe`: nothing is enforced.
 */
export interface ForwardPlan {
  readonly decision: 'allow' | 'not_matched' | 'fail_open' | 'observe';
  /** Id of the decision's event; undefined when the decision has no event. */
  readonly requestId: string | undefined;
  readonly visitor: VisitorFacts;
  /** What the validator adds to the answer of the origin. */
  readonly additions: AnswerAdditions | undefined;
  /** The code that forwards the request records it. Undefined when this gateway has no event to record. */
  readonly event: OpenEvent | undefined;
}

export const NOTHING_KNOWN: VisitorFacts = { session: '', crawler: '' };

export const UNPROTECTED_PLAN: ForwardPlan = {
  decision: 'not_matched',
  requestId: undefined,
  visitor: NOTHING_KNOWN,
  additions: undefined,
  event: undefined,
};

/** Refuses a path that origins could read in too many ways (RFC 9110 section 15.5.1), and logs it. */
export function refuseUnreadable(throttledLog: Log, { peerIp }: Connection): RequestPlan {
  const { status } = UNREADABLE.answer;
  throttledLog('info', 'gateway_request_refused', {
    status,
    reason: 'path readings',
    peer: peerIp,
  });
  return UNREADABLE;
}

const UNREADABLE = {
  kind: 'refused',
  answer: plainAnswer(400, 'The path can be read in too many ways.'),
  event: undefined,
} as const satisfies RequestPlan;

/** What the validator adds to an answer of the origin. Names and values in turn, ready to be written. */
export interface AnswerAdditions {
  readonly fields: readonly string[];
  /** Names, in lower case, of the origin's fields that `fields` replaces. */
  readonly replacedNames: ReadonlySet<string>;
  /** True when the fields contain a cookie of one visitor. Then no shared cache may keep the answer. */
  readonly isPersonal: boolean;
}

type AnswerPlan =
  | { readonly kind: 'pass'; readonly additions: AnswerAdditions | undefined }
  | { readonly kind: 'serve'; readonly answer: OwnAnswer };

/** Fields that describe a body. They must not be added to an answer with the origin's body. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-range',
  'content-disposition',
]);

/** Fields that may come several times: the validator's value is added to the origin's. */
const APPENDED_FIELDS: ReadonlySet<string> = new Set([
  'set-cookie',
  'vary',
  'link',
  'server-timing',
]);

const DENIED_BODY = Buffer.from('Request denied.\n');

/**
 * Contract 4.1 rules 2 to 5: makes the request plan from an answer of the validator. `allow` and `not_matched` pass,
 * unless they have a body. `block` and `redirect` never pass. A validator in this process gives the body separately
 * from its answer.
 */
export function planAnswer(
  response: ForeignValidateResponse,
  { body: knownBody, gzipBody }: Pick<ResponseExtras, 'body' | 'gzipBody'> = {},
): AnswerPlan {
  const denies = response.decision === 'block' || response.decision === 'redirect';
  if (!denies && knownBody === undefined && response.response_html === undefined) {
    return { kind: 'pass', additions: additionsOf(response) };
  }
  const body = knownBody ?? Buffer.from(response.response_html ?? '', 'base64');
  const status = statusOf(response.status_code, denies ? 403 : 200);
  const fields = servedFields(response, denies, body.length === 0);
  return {
    kind: 'serve',
    answer: { status, fields, body: body.length === 0 ? DENIED_BODY : body, gzip: gzipBody },
  };
}

/** The fields of an answer with the body of the validator. When `isShort`, the body is the gateway's own text. */
function servedFields(
  response: ForeignValidateResponse,
  denies: boolean,
  isShort: boolean,
): string[] {
  const fields: string[] = [];
  const presentNames = new Set<string>();
  for (const [name, value] of appliedHeaders(response.headers)) {
    const lower = name.toLowerCase();
    if (isShort && BODY_FIELDS.has(lower)) continue;
    if (denies && lower === 'cache-control' && !value.toLowerCase().includes('no-store')) continue;
    fields.push(name, value);
    presentNames.add(lower);
  }
  const cookies = cookieLines(response);
  for (const line of cookies) fields.push('Set-Cookie', line);

  const addIfMissing = (name: string, value: string | undefined) => {
    if (value !== undefined && !presentNames.has(name.toLowerCase())) fields.push(name, value);
  };
  addIfMissing('Content-Type', isShort ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8');
  addIfMissing('Cache-Control', denies ? 'no-store' : cookies.length > 0 ? 'private' : undefined);
  addIfMissing(
    'Retry-After',
    response.rate_limited === true ? response.retry_after?.toString() : undefined,
  );
  return fields;
}

/**
 * The validator's status (contract 2.2 and 4.1 rule 3), or `fallback` when that status is missing or not a final
 * status.
 */
function statusOf(status: number | undefined, fallback: 200 | 403): number {
  return status !== undefined && status >= 200 && status <= 599 ? status : fallback;
}

function additionsOf(response: ForeignValidateResponse): AnswerAdditions | undefined {
  if (response.headers === undefined && response.cookies === undefined) return undefined;
  const fields: string[] = [];
  const replacedNames = new Set<string>();
  let isPersonal = false;
  for (const [name, value] of appliedHeaders(response.headers)) {
    const lower = name.toLowerCase();
    if (BODY_FIELDS.has(lower)) continue;
    fields.push(name, value);
    if (!APPENDED_FIELDS.has(lower)) replacedNames.add(lower);
    if (lower === 'set-cookie') isPersonal = true;
  }
  for (const line of cookieLines(response)) {
    fields.push('Set-Cookie', line);
    isPersonal = true;
  }
  return fields.length === 0 ? undefined : { fields, replacedNames, isPersonal };
}

/** The headers of the answer, without fields that would frame the message or could contain a line break. */
function appliedHeaders(headers: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(headers ?? {}).filter(
    ([name, value]) => isWritable(name, value) && !framesMessage(name),
  );
}

function framesMessage(name: string): boolean {
  const kind = headerKind(name);
  return (
    kind === 'hop-by-hop' ||
    kind === 'connection' ||
    kind === 'content-length' ||
    kind === 'trailer'
  );
}

function isWritable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function cookieLines(response: ForeignValidateResponse): string[] {
  const lines: string[] = [];
  for (const cookie of response.cookies ?? []) {
    const line = setCookie(cookie);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

const MAX_NAME_LENGTH = 128;

/** The facts about a visitor that the origin gets. A field is empty when it is unknown or does not exist. */
interface VisitorFacts {
  /** Digest of the session: config/contract/session-digest. */
  readonly session: string;
  /** A crawler as a structured field (RFC 9651): `verified` or `claimed`, with its name and id as parameters. */
  readonly crawler: string;
}

export function visitorFacts({ req }: Inquiry, outcome: ValidateOutcome): VisitorFacts {
  if (outcome.kind !== 'answered') return NOTHING_KNOWN;
  const { response, extras } = outcome;
  const session = extras?.session ?? sessionDigest(sessionByWire(response, req.headers.cookie));
  const { crawler } = response;
  // A validator sets `access_allowed` only for a verified crawler (contract 2.4).
  const isVerified = extras?.crawlerVerified ?? crawler?.access_allowed === true;
  return {
    session,
    crawler: crawler === undefined ? '' : crawlerField(crawler.id, crawler.name, isVerified),
  };
}

/**
 * The session of a visitor, found from the response alone (contract 2.2). A response sets `_guard` when the request did
 * not present the current session. Otherwise the presented session is the current one. When several sessions were
 * presented, the response does not say which one is current, and another site can have set one of them. Then the result
 * is empty. For a crawler the result is empty too.
 */
function sessionByWire(response: ForeignValidateResponse, cookie: string | undefined): string {
  const guardCookie = response.cookies?.find(({ name }) => name === '_guard');
  if (guardCookie !== undefined) return guardCookie.value;
  const [presented = '', ...others] = presentedSessions(undefined, cookie);
  const isUnambiguous = others.length === 0 && response.crawler === undefined;
  return isUnambiguous ? presented.toLowerCase() : '';
}

/**
 * Makes a structured field (RFC 9651 section 3.3), in which `verified` or `claimed` comes before the name. A foreign
 * validator may choose id and name, so characters that are not allowed in a structured field are replaced, and an id
 * that is not allowed is left out.
 */
function crawlerField(id: string, name: string, isVerified: boolean): string {
  const quotedName = name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, '\\$&');
  const key = UUID.test(id) ? `;id="${id}"` : '';
  return `${isVerified ? 'verified' : 'claimed'};name="${quotedName}"${key}`;
}

/**
 * The Set-Cookie value of one cookie of the validator, with exactly the cookie's attributes (contract 2.3, RFC 6265
 * section 4.1). An empty `domain` means a host-only cookie without Domain. Undefined when a part contains a character
 * that would end the attribute or the line.
 */
function setCookie(cookie: Cookie): string | undefined {
  const { name, value, domain, path, same_site: sameSite } = cookie;
  if (!isToken(name)) return undefined;
  for (const part of [value, domain, path, sameSite]) if (!isAttributeValue(part)) return undefined;

  let line = `${name}=${value}`;
  if (domain !== '') line += `; Domain=${domain}`;
  if (path !== '') line += `; Path=${path}`;
  line += `; Max-Age=${cookie.max_age}`;
  if (cookie.secure) line += '; Secure';
  if (sameSite !== '') line += `; SameSite=${sameSite}`;
  return line;
}

function isAttributeValue(text: string): boolean {
  return /^[\x20-\x3a\x3c-\x7e]*$/.test(text);
}
