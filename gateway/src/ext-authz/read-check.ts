import type { IncomingHttpHeaders } from 'node:http';
import { isTextCharacter, isToken } from '../base/characters.ts';
import {
  checkDescribed,
  malformed,
  type QuestionLimits,
  type ReadQuestion,
} from '../forward-auth/read-question.ts';
import type { CheckRequest, HttpRequest } from './messages.ts';

export interface CheckLimits extends QuestionLimits {
  /** Names and values of all header fields together. */
  readonly maxHeaderBytes: number;
}

/** Reads the question of a trusted Envoy. The result has the same type as for any other proxy. */
export function readCheck({ attributes }: CheckRequest, limits: CheckLimits): ReadQuestion {
  const http = attributes?.request?.http;
  if (!http) return { kind: 'incomplete', missing: 'attributes.request.http' };

  const headers: IncomingHttpHeaders = {};
  let fields = 0;
  let bytes = 0;
  for (const [name, value] of fieldsOf(http)) {
    // Envoy repeats the method, the host and the path as pseudo-header fields.
    if (name.startsWith(':')) continue;
    fields++;
    bytes += name.length + value.length;
    if (!isToken(name) || !isText(value)) return malformed(400, 'Invalid header field.');
    // Node joins fields of one name in the same way.
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const separator = name === 'cookie' ? '; ' : ', ';
    headers[name] = before === undefined ? value : `${String(before)}${separator}${value}`;
  }
  if (bytes > limits.maxHeaderBytes) return malformed(431, 'Header fields too large.');
  const draft = { method: http.method, host: http.host, target: bytesOf(http.path) };
  return checkDescribed(draft, headers, fields, limits);
}

function* fieldsOf({ headers, headerMap }: HttpRequest): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) yield [name.toLowerCase(), bytesOf(value)];
  for (const { key, value, rawValue } of headerMap?.headers ?? []) {
    const raw = rawValue.length > 0 ? rawValue.toString('latin1') : bytesOf(value);
    yield [key.toLowerCase(), raw];
  }
}

/** A text with one character for each byte. Node reads a header section in the same way. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function isText(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    if (!isTextCharacter(value.charCodeAt(i))) return false;
  }
  return true;
}
