import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { ForeignValidateResponse } from '@guard/config/contract/validate-response';
import { headerKind } from '../message/header-kind.ts';
import type { OwnAnswer } from '../message/own-answer.ts';
import { setCookie } from './set-cookie.ts';

/** What a validator wants on an answer that is the origin's: flat name-value lists, ready to be written. */
export interface AnswerAdditions {
  readonly fields: readonly string[];
  /** Names, in lower case, of the origin's fields that `fields` replaces. */
  readonly replaced: ReadonlySet<string>;
  /** A cookie of one visitor is among them: no shared cache may keep the answer. */
  readonly personal: boolean;
}

export type AnswerPlan =
  | { readonly kind: 'pass'; readonly additions: AnswerAdditions | undefined }
  | { readonly kind: 'serve'; readonly answer: OwnAnswer };

/** Fields that describe a body. They are nothing to add to the origin's own. */
const DESCRIBES_BODY: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-range',
  'content-disposition',
]);

/** Fields that are lists by nature: the validator's value stands beside the origin's. */
const APPENDED: ReadonlySet<string> = new Set(['set-cookie', 'vary', 'link', 'server-timing']);

const DENIED = Buffer.from('Request denied.\n');

/**
 * Contract 4.1 rules 2 to 5: what an answer of the validator means for the visitor. `allow` and
 * `not_matched` pass unless they bring a body; `block` and `redirect` never do.
 */
export function planAnswer(response: ForeignValidateResponse): AnswerPlan {
  const denies = response.decision === 'block' || response.decision === 'redirect';
  if (!denies && response.response_html === undefined) {
    return { kind: 'pass', additions: additionsOf(response) };
  }
  const body = Buffer.from(response.response_html ?? '', 'base64');
  const status = statusOf(response.status_code, denies ? 403 : 200);
  const fields = servedFields(response, denies, body.length === 0);
  return { kind: 'serve', answer: { status, fields, body: body.length === 0 ? DENIED : body } };
}

/** The fields of an answer whose body is the validator's or, when `short`, the gateway's own text. */
function servedFields(
  response: ForeignValidateResponse,
  denies: boolean,
  short: boolean,
): string[] {
  const fields: string[] = [];
  const present = new Set<string>();
  for (const [name, value] of appliedHeaders(response.headers)) {
    const lower = name.toLowerCase();
    // The short text is the gateway's, so the validator's words about its own body do not fit it.
    if (short && DESCRIBES_BODY.has(lower)) continue;
    if (denies && lower === 'cache-control' && !value.toLowerCase().includes('no-store')) continue;
    fields.push(name, value);
    present.add(lower);
  }
  const cookies = cookieLines(response);
  for (const line of cookies) fields.push('Set-Cookie', line);

  const supply = (name: string, value: string | undefined) => {
    if (value !== undefined && !present.has(name.toLowerCase())) fields.push(name, value);
  };
  supply('Content-Type', short ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8');
  supply('Cache-Control', denies ? 'no-store' : cookies.length > 0 ? 'private' : undefined);
  supply(
    'Retry-After',
    response.rate_limited === true ? response.retry_after?.toString() : undefined,
  );
  return fields;
}

/** Contract 2.2 and 4.1 rule 3: the validator's status, or the fallback for one that is missing or no final status. */
function statusOf(status: number | undefined, fallback: 200 | 403): number {
  return status !== undefined && status >= 200 && status <= 599 ? status : fallback;
}

function additionsOf(response: ForeignValidateResponse): AnswerAdditions | undefined {
  if (response.headers === undefined && response.cookies === undefined) return undefined;
  const fields: string[] = [];
  const replaced = new Set<string>();
  let personal = false;
  for (const [name, value] of appliedHeaders(response.headers)) {
    const lower = name.toLowerCase();
    if (DESCRIBES_BODY.has(lower)) continue;
    fields.push(name, value);
    if (!APPENDED.has(lower)) replaced.add(lower);
    if (lower === 'set-cookie') personal = true;
  }
  for (const line of cookieLines(response)) {
    fields.push('Set-Cookie', line);
    personal = true;
  }
  return fields.length === 0 ? undefined : { fields, replaced, personal };
}

/** Every header of the answer except the ones that would frame the message, or break out of their line. */
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
