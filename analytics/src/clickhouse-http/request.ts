import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerForm } from '@guard/config/contract/answer-form';
import type { QueryCaller, AuthenticateBearer } from '@guard/config/contract/ports';
import { DATABASE } from '../database/accounts.ts';
import { ALLOWED_FORMATS } from '../query/denied.ts';

export type ParsedRequest =
  | {
      readonly kind: 'statement';
      readonly sql: string;
      readonly parameters: ReadonlyMap<string, string>;
      readonly answerForm: AnswerForm;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** The parameters that Guard reads, in addition to `param_…`. */
const READ_PARAMETERS: ReadonlySet<string> = new Set(
  'query database default_format compress client_protocol_version'.split(' '),
);
const PARAMETER = 'param_';

/**
 * Settings that change no row. Many programs send them by default. Guard ignores them, so they never reach the database,
 * and Guard's own limits apply.
 */
const IGNORED_SETTINGS = [
  /^(?:query_id|quota_key|session_(?:id|timeout|check)|readonly|wait_end_of_query|buffer_size)$/,
  /^(?:(?:add|enable)_http|http|network|send|receive|connect|client|log|cancel_http)_\w+$/,
  /^(?:max|min|timeout|allow|insert|input_format|select_sequential)_\w+$|^result_overflow_mode$/,
  /^(?:async_insert\w*|date_time_input_format|output_format_(?:json_quote_64bit_integers|(?:native|binary)_\w+))$/,
];

/**
 * Finds the caller by the analytics key: the password or the user of Basic authentication, or a field such as
 * `X-ClickHouse-Key`. A key in the URL is not accepted, because URLs are logged.
 */
export function findCaller(
  headers: IncomingHttpHeaders,
  authenticate: AuthenticateBearer,
): QueryCaller | undefined {
  const { authorization = '' } = headers;
  const basicCredentials = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const userAndPassword = Buffer.from(basicCredentials ?? '', 'base64').toString('utf8');
  const colon = userAndPassword.indexOf(':');
  const keys = [
    userAndPassword.slice(colon + 1),
    userAndPassword.slice(0, Math.max(colon, 0)),
    headers['x-clickhouse-key'],
    headers['x-clickhouse-user'],
  ];
  const bearers = keys.flatMap((key) =>
    typeof key === 'string' && key !== '' ? `Bearer ${key}` : [],
  );
  for (const bearer of [authorization, ...bearers]) {
    const holder = authenticate(bearer);
    if (holder !== undefined) return { organisation: holder.organisation, authorization: bearer };
  }
  return undefined;
}

/** Reads the statement and its format. Refuses a setting that could change rows, because Guard does not apply it. */
export function parseRequest(
  search: URLSearchParams,
  headers: IncomingHttpHeaders,
  body: string | undefined,
): ParsedRequest {
  if (body === undefined) return refuse('The body is not UTF-8 text.');
  const unknownName = [...search.keys()].find((name) => !isKnown(name));
  if (unknownName !== undefined) return refuse(refusalOf(unknownName));
  const readParameter = (parameter: string, header: string): string | undefined => {
    const value = search.get(parameter) ?? headers[header];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const database = readParameter('database', 'x-clickhouse-database') ?? DATABASE;
  if (database !== DATABASE) return refuse(`The only database is ${DATABASE}.`);
  const format = readParameter('default_format', 'x-clickhouse-format');
  if (format !== undefined && !ALLOWED_FORMATS.has(format.toLowerCase())) {
    return refuse(`The format ${format} is not available; JSONEachRow and Native are.`);
  }
  const sql = [search.get('query') ?? '', body].join('\n').trim();
  if (sql === '') return refuse('The request has no statement in `query` or in the body.');
  const parameters = new Map<string, string>();
  for (const [name, value] of search) {
    if (name.startsWith(PARAMETER)) parameters.set(name.slice(PARAMETER.length), value);
  }
  return { kind: 'statement', sql, parameters, answerForm: formOf(search, format) };
}

function isKnown(name: string): boolean {
  return (
    READ_PARAMETERS.has(name) ||
    name.startsWith(PARAMETER) ||
    IGNORED_SETTINGS.some((pattern) => pattern.test(name))
  );
}

function formOf(search: URLSearchParams, format: string | undefined): AnswerForm {
  const revision = search.get('client_protocol_version') ?? '';
  return {
    ...(format !== undefined && { default_format: format }),
    ...(search.get('compress') === '1' && { compress: '1' }),
    ...(/^\d{1,6}$/.test(revision) && { client_protocol_version: revision }),
  };
}

function refusalOf(name: string): string {
  return name === 'user' || name === 'password'
    ? 'A key in the URL ends up in logs. Send it as the password of Basic authentication.'
    : `The setting ${name.slice(0, 100)} cannot be set here. Remove it from the connection.`;
}

function refuse(message: string): ParsedRequest {
  return { kind: 'refused', message };
}
