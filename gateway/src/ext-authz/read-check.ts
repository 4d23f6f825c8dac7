import type { IncomingHttpHeaders } from 'node:http';
import { isTextCharacter, isToken } from '../base/characters.ts';
import {
  checkDescribed,
  malformedQuestion,
  type QuestionLimits,
  type QuestionReading,
} from '../forward-auth/read-question.ts';
import type { CheckRequest, HttpRequest } from './messages.ts';

interface CheckLimits extends QuestionLimits {
  /** The limit for the names and values of all header fields together. */
  readonly maxHeaderBytes: number;
}

/** Reads the question of a trusted Envoy. The result has the same type as for any other proxy. */
export function readCheck({ attributes }: CheckRequest, limits: CheckLimits): QuestionReading {
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
    if (!isToken(name) || !isText(value)) return malformedQuestion(400, 'Invalid header field.');
    // Node joins fields of one name in the same way.
    const earlierValue = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const separator = name === 'cookie' ? '; ' : ', ';
    headers[name] =
      earlierValue === undefined ? value : `${String(earlierValue)}${separator}${value}`;
  }
  if (bytes > limits.maxHeaderBytes) return malformedQuestion(431, 'Header fields too large.');
  const draft = { method: http.method, host: http.host, target: toLatin1(http.path) };
  return checkDescribed(draft, headers, fields, limits);
}

function* fieldsOf({ headers, headerMap }: HttpRequest): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) yield [name.toLowerCase(), toLatin1(value)];
  for (const { key, value, rawValue } of headerMap?.headers ?? []) {
    const raw = rawValue.length > 0 ? rawValue.toString('latin1') : toLatin1(value);
    yield [key.toLowerCase(), raw];
  }
}

/** A text with one character for each byte. Node reads a header section in the same way. */
function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function isText(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    if (!isTextCharacter(value.charCodeAt(i))) return false;
  }
  return true;
}
