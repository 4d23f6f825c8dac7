import { parseJson } from '@guard/config/contract/json';
import { parseIp } from '@guard/config/net/cidr';
import { requestIn } from './combined-log.ts';
import { readAnyTime } from './log-time.ts';
import {
  type LineReading,
  type LoggedRequest,
  type Outcome,
  unreadable,
  WITHOUT_GUARD,
} from './logged-request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Parses an event (JSONEachRow), a line of Caddy's access log, or a flat object with names of nginx's variables. */
export function readJsonLine(line: string): LineReading {
  const value = parseJson(line);
  if (value === undefined) return unreadable('no JSON');
  if (!isFields(value)) return unreadable('no JSON object');
  if ('created_at' in value && 'action' in value) return readEvent(value);
  const { request } = value;
  return isFields(request) ? readCaddy(value, request) : readFlat(value);
}

function readEvent(event: Fields): LineReading {
  const headers = isFields(event['headers']) ? textsOf(event['headers']) : {};
  const query = textIn(event, 'query') ?? '';
  const site = textIn(event, 'site');
  return checkComplete({
    timeMs: readAnyTime(event['created_at']),
    ip: textIn(event, 'ip'),
    method: textIn(event, 'method'),
    host: textIn(event, 'host'),
    scheme: event['scheme'] === 'http' ? 'http' : 'https',
    target: `${textIn(event, 'path') ?? '/'}${query === '' ? '' : `?${query}`}`,
    userAgent: textIn(event, 'user_agent'),
    referrer: headers['referer'] ?? textIn(event, 'referrer_origin') ?? '',
    // A visitor's request always has headers. An event without headers is older than their retention time.
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    recordedOutcome: outcomeOf(event),
    session: sessionOf(event),
    sentSessionDigest: presentedIn(event),
    organisation: site === '' ? textIn(event, 'organisation') : undefined,
  });
}

function outcomeOf({ action, decision }: Fields): Outcome {
  switch (action) {
    case 'block':
    case 'challenge':
    case 'limited':
      return action;
    default:
      return decision === 'block' || decision === 'limited' ? 'monitored' : 'allow';
  }
}

const DIGEST = /^[0-9a-f]{32}$/;

function sessionOf(event: Fields): LoggedRequest['session'] {
  const state = event['challenge'];
  const digest = textIn(event, 'session') ?? '';
  if ((state !== 'verified' && state !== 'rejected') || !DIGEST.test(digest)) return undefined;
  const reasons = event['block_reasons'];
  const isRejected = state === 'rejected' && Array.isArray(reasons);
  const texts = isRejected ? reasons.filter((reason) => typeof reason === 'string') : [];
  return { digest, state, reasons: texts };
}

/** When the visitor invented a session id, Guard issues another id. So the invented id is only in `session_sent`. */
function presentedIn(event: Fields): string | undefined {
  const digest = textIn(event, 'session') ?? '';
  return DIGEST.test(digest) && digest === textIn(event, 'session_sent') ? digest : undefined;
}

function readCaddy(line: Fields, request: Fields): LineReading {
  const loggedHeaders = isFields(request['headers']) ? request['headers'] : undefined;
  const headers = loggedHeaders && orderAsBrowser(textsOf(loggedHeaders), textIn(request, 'host'));
  return checkComplete({
    timeMs: readAnyTime(line['ts']),
    ip: textIn(request, 'client_ip') ?? textIn(request, 'remote_ip'),
    method: textIn(request, 'method'),
    host: textIn(request, 'host'),
    scheme: request['tls'] === undefined ? 'http' : 'https',
    target: textIn(request, 'uri'),
    userAgent: headers && (headers['user-agent'] ?? ''),
    referrer: headers?.['referer'] ?? '',
    headers,
    ...WITHOUT_GUARD,
  });
}

const CHROMIUM_ORDER = ['host', 'user-agent', 'accept', 'accept-encoding', 'accept-language'];
const GECKO_ORDER = ['host', 'user-agent', 'accept', 'accept-language', 'accept-encoding'];

/**
 * Caddy sorts header names, so the visitor's order is lost. The order of a browser replaces it, so that the order adds
 * no points.
 */
function orderAsBrowser(
  headers: Readonly<Record<string, string>>,
  host: string | undefined,
): Record<string, string> {
  const isGecko = headers['user-agent']?.includes('Gecko/') === true;
  const orderedHeaders: Record<string, string> = {};
  for (const name of isGecko ? GECKO_ORDER : CHROMIUM_ORDER) {
    const value = headers[name] ?? (name === 'host' ? host : undefined);
    if (value !== undefined) orderedHeaders[name] = value;
  }
  // When a name is assigned again, it keeps its first position.
  return Object.assign(orderedHeaders, headers);
}

const TIME_FIELDS = ['time_iso8601', 'msec', 'time_local', '@timestamp', 'timestamp', 'time'];

function readFlat(line: Fields): LineReading {
  const requestLine = requestIn(textIn(line, 'request') ?? '');
  const path = textIn(line, 'request_uri', 'uri', 'path');
  const host = textIn(line, 'host', 'http_host', 'server_name');
  return checkComplete({
    timeMs: readAnyTime(
      TIME_FIELDS.map((name) => line[name]).find((time) => time !== undefined && time !== null),
    ),
    ip: textIn(line, 'remote_addr', 'client_ip', 'remote_ip', 'ip'),
    method: textIn(line, 'request_method', 'method') ?? requestLine?.method,
    host: host === '' ? undefined : host,
    scheme: 'http',
    target: path ?? requestLine?.target,
    userAgent: hyphenToEmpty(textIn(line, 'http_user_agent', 'user_agent')),
    referrer: hyphenToEmpty(textIn(line, 'http_referer', 'referer', 'referrer')) ?? '',
    headers: undefined,
    ...WITHOUT_GUARD,
  });
}

type NeededField = 'timeMs' | 'ip' | 'method' | 'target' | 'userAgent';
type Incomplete = Omit<LoggedRequest, NeededField> & {
  readonly [Name in NeededField]: LoggedRequest[Name] | undefined;
};

function checkComplete(incomplete: Incomplete): LineReading {
  const { timeMs, method, target, userAgent } = incomplete;
  const ip = incomplete.ip === undefined ? undefined : parseIp(incomplete.ip);
  if (timeMs === undefined) return unreadable('no time');
  if (ip === undefined) return unreadable('no address');
  if (method === undefined || target === undefined) return unreadable('no HTTP request');
  if (userAgent === undefined) return unreadable('no User-Agent: log it as http_user_agent');
  return { kind: 'request', request: { ...incomplete, timeMs, ip, method, target, userAgent } };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function hyphenToEmpty(text: string | undefined): string | undefined {
  return text === '-' ? '' : text;
}

/** Returns the header fields with names in lower case. Several values of one name are joined (RFC 9110 5.3). */
function textsOf(fields: Fields): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') texts[name.toLowerCase()] = value;
    else if (Array.isArray(value)) texts[name.toLowerCase()] = value.join(', ');
  }
  return texts;
}
