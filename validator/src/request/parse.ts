import type { ValidateErrorType } from '@guard/config/contract/errors';
import { parseJson } from '@guard/config/contract/json';
import { VALIDATE } from '@guard/config/contract/limits';
import {
  METHOD_TOKEN,
  URL_TEXT,
  type ValidateRequest,
} from '@guard/config/contract/validate-request';
import { readHeaders } from './header-fields.ts';
import { memberCount, scanJson } from './json-shape.ts';

type ParsedRequest =
  | { readonly kind: 'request'; readonly request: ValidateRequest }
  | { readonly kind: 'error'; readonly type: ValidateErrorType; readonly message: string };

/**
 * Parses the body of `POST /validate` (contract 2.1). Its errors are those of contract 7.1, and their messages name the
 * field. A field with `null` or an empty text is treated as missing, because many languages write a missing field so.
 * Unknown fields are ignored. A body with a name that occurs twice in one object is refused, because its meaning is not
 * clear.
 */
export function parseValidateBody(body: string): ParsedRequest {
  // This check comes first, because JSON.parse must not parse a deeply nested text.
  const shape = scanJson(body, VALIDATE.maxJsonDepth);
  if (shape.depth > VALIDATE.maxJsonDepth) {
    return invalid(`The body is nested deeper than ${VALIDATE.maxJsonDepth} levels.`);
  }
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('The body must be a JSON object.');
  }
  if (memberCount(value) !== shape.members) return invalid('A name stands twice in one object.');
  // The checks above leave only an object that is no array.
  return readFields(value as Readonly<Record<string, unknown>>);
}

function readFields(fields: Readonly<Record<string, unknown>>): ParsedRequest {
  const url = undefinedIfEmpty(fields['url']);
  const ip = undefinedIfEmpty(fields['ip']);
  if (url === undefined || ip === undefined) return missing(url === undefined, ip === undefined);
  if (typeof ip !== 'string' || ip.length > VALIDATE.maxIpLength) {
    return { kind: 'error', type: 'invalid_ip', message: '`ip` must be text with one address.' };
  }
  if (!isUrl(url)) return invalid(BAD_URL);
  const method = undefinedIfEmpty(fields['method']);
  if (!isMethod(method)) return invalid(BAD_METHOD);
  const referrer = undefinedIfEmpty(fields['referrer']);
  if (!isReferrer(referrer)) return invalid(BAD_REFERRER);
  const headerFields = undefinedIfEmpty(fields['headers']);
  const headers = headerFields === undefined ? undefined : readHeaders(headerFields);
  if (headers?.kind === 'error') return invalid(headers.message);
  const { cookie } = fields;
  return {
    kind: 'request',
    request: {
      url,
      ip,
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers: headers.headers }),
      ...(referrer !== undefined && { referrer: referrer.toWellFormed() }),
      // Contract 2.1: a malformed cookie is silently ignored, even when it is not a string.
      ...(typeof cookie === 'string' && { cookie }),
    },
  };
}

function undefinedIfEmpty(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

const BAD_URL = `\`url\` must be text of at most ${VALIDATE.maxUrlLength} characters, without control characters.`;

/** Whether the value can be a URL; splitUrl does the other checks. A URL cannot contain a lone surrogate. */
function isUrl(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= VALIDATE.maxUrlLength &&
    value.isWellFormed() &&
    URL_TEXT.test(value)
  );
}

const BAD_METHOD = `\`method\` must be a token of at most ${VALIDATE.maxMethodLength} characters.`;

function isMethod(value: unknown): value is string | undefined {
  return (
    value === undefined ||
    (typeof value === 'string' &&
      value.length <= VALIDATE.maxMethodLength &&
      METHOD_TOKEN.test(value))
  );
}

const BAD_REFERRER = `\`referrer\` must be text of at most ${VALIDATE.maxHeaderValueLength} characters.`;

function isReferrer(value: unknown): value is string | undefined {
  if (value === undefined) return true;
  return typeof value === 'string' && value.length <= VALIDATE.maxHeaderValueLength;
}

function missing(url: boolean, ip: boolean): ParsedRequest {
  const names = url && ip ? '`url` and `ip`' : url ? '`url`' : '`ip`';
  return { kind: 'error', type: 'missing_fields', message: `Missing: ${names}.` };
}

function invalid(message: string): ParsedRequest {
  return { kind: 'error', type: 'invalid_request', message };
}
