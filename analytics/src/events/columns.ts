import { hash } from 'node:crypto';
import type { DecisionEvent } from '@guard/config/contract/event';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import { safeCount, safeText } from './safe-text.ts';

/**
 * The event record (spec 2.7): the one table from which the DDL, the rows of an insert and the
 * comments that `list_columns` returns are made. A new column is one entry here.
 */
export interface EventColumn {
  readonly name: string;
  /** ClickHouse type. */
  readonly type: string;
  readonly codec: string;
  readonly comment: string;
  /** How long the value is kept: as long as its row, or the shorter time of `headers` and `body`. */
  readonly kept: 'row' | 'detail';
  /** The value as JSON of JSONCompactEachRow; always of the column's type and bounded in size. */
  readonly read: (event: DecisionEvent) => ColumnValue;
}

type ColumnValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

const MAX = {
  /** Names and identifiers. */
  name: 256,
  host: 512,
  method: 32,
  userAgent: 2048,
  referrer: 512,
  /** Path and query, each. */
  target: 8192,
  listItems: 64,
  headerFields: 128,
  headerName: 128,
  headerValue: 4096,
  /** Names and values of one event's headers together. */
  headersTotal: 32_768,
  /** The last millisecond of the year 2199: inside what DateTime64(3) can hold. */
  createdAt: 7_258_118_399_999,
} as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const WORD = 'LowCardinality(String)';

function column(
  name: string,
  type: string,
  comment: string,
  read: EventColumn['read'],
  more: Partial<Pick<EventColumn, 'codec' | 'kept'>> = {},
): EventColumn {
  return { name, type, comment, read, codec: 'ZSTD(1)', kept: 'row', ...more };
}

/** A column of one of few words. */
function word(name: string, comment: string, read: (event: DecisionEvent) => string): EventColumn {
  return column(name, WORD, comment, (event) => safeText(read(event), MAX.name));
}

/** A column of free text. */
function text(
  name: string,
  maxLength: number,
  comment: string,
  read: (event: DecisionEvent) => string,
): EventColumn {
  return column(name, 'String', comment, (event) => safeText(read(event), maxLength));
}

export const EVENT_COLUMNS: readonly EventColumn[] = [
  column(
    'created_at',
    "DateTime64(3, 'UTC')",
    'When the decision was made. The sort key: put a range on it in every query.',
    (event) => safeCount(event.createdAt, MAX.createdAt),
    { codec: 'Delta(8), ZSTD(1)' },
  ),
  column('request_id', 'UUID', 'Identifies the decision.', ({ requestId }) =>
    UUID.test(requestId) ? requestId : NIL_UUID,
  ),
  word('organisation', 'Whose event this is.', (event) => event.organisation),
  word('site', 'Site of the gateway; empty when /validate was called directly.', (e) => e.site),
  word(
    'action',
    'What was enforced: allow, block, challenge or limited. Count stopped requests with this one.',
    (event) => event.action,
  ),
  word(
    'decision',
    'What the engine concluded, before monitor and observe: allow, block, challenge, limited or none.',
    (event) => event.decision,
  ),
  word('response', 'The decision as it went out: allow, block or redirect.', (e) => e.response),
  column('status_code', 'UInt16', 'Status the visitor was to be sent.', (event) =>
    safeCount(event.statusCode, 65_535),
  ),
  word('rule', 'Name of the rule that decided; empty when none matched.', (event) => event.rule),
  column('monitor', 'Bool', 'A rule in monitor mode applied.', (event) => event.monitor),
  column('observe', 'Bool', 'The gateway was enforcing nothing.', (event) => event.observe),
  column('rate_limited', 'Bool', 'A rate limit was exceeded.', (event) => event.rateLimited),
  column('block_reasons', `Array(${WORD})`, 'Signals behind a block.', (event) =>
    safeList(event.blockReasons),
  ),
  column('block_reason_categories', `Array(${WORD})`, 'Categories of those signals.', (event) =>
    safeList(event.blockReasonCategories),
  ),
  word('crawler_id', 'Identifier of the crawler, or empty.', (event) => event.crawler?.id ?? ''),
  word('crawler_name', 'Name of the crawler, or empty.', (event) => event.crawler?.name ?? ''),
  word('crawler_category', 'Catalogue category, or empty.', (e) => e.crawler?.category ?? ''),
  word(
    'crawler_rsl_category',
    'Catalogue category key, or empty.',
    (event) => event.crawler?.rslCategory ?? '',
  ),
  column(
    'crawler_verified',
    'Bool',
    "The address lies in the crawler operator's published ranges.",
    (event) => event.crawler?.verified ?? false,
  ),
  column('method', WORD, 'HTTP method.', (event) => safeText(event.method, MAX.method)),
  word('scheme', 'http or https.', (event) => event.scheme),
  column('host', WORD, 'Requested host.', (event) => safeText(event.host, MAX.host)),
  text('path', MAX.target, 'Requested path.', (event) => event.path),
  text('query', MAX.target, 'Query string, without its question mark.', (event) => event.query),
  text(
    'referrer_origin',
    MAX.referrer,
    'Scheme and host of the Referer, or empty.',
    (event) => event.referrerOrigin,
  ),
  text('ip', MAX.name, 'Client address, IPv4 or IPv6.', (event) => event.ip),
  word('country', 'ISO 3166-1 alpha-2 code of the address, or empty.', (event) => event.country),
  text('user_agent', MAX.userAgent, 'User-Agent header.', (event) => event.userAgent),
  column(
    'session',
    'String',
    'Stands for the session: a digest, because the id itself is a credential. Empty without one.',
    (event) => sessionDigest(event.session),
  ),
  word(
    'challenge',
    'How the visitor stands with the challenge: none, issued, verified, rejected or failed.',
    (event) => event.challenge,
  ),
  text('reference', MAX.name, 'Reference code shown to the visitor.', (event) => event.reference),
  word('validator', 'Who decided: in-process, api or remote.', (event) => event.validator),
  text('ja4', MAX.name, 'JA4 of the TLS handshake, where the gateway saw it.', (e) => e.ja4 ?? ''),
  text(
    'http2',
    MAX.host,
    'How HTTP/2 was opened: settings, window, priorities, pseudo-header order.',
    (event) => event.http2 ?? '',
  ),
  column('duration_us', 'UInt32', 'How long the decision took, in microseconds.', (event) =>
    safeCount(event.durationUs, 4_294_967_295),
  ),
  column(
    'headers',
    `Map(${WORD}, String)`,
    'Request headers without credentials, names in lower case. Kept 14 days.',
    (event) => safeHeaders(event.headers),
    { codec: 'ZSTD(3)', kept: 'detail' },
  ),
  column('body', 'String', 'Request body, where it was recorded. Kept 14 days.', () => '', {
    codec: 'ZSTD(3)',
    kept: 'detail',
  }),
];

function safeList(list: readonly string[]): string[] {
  return list.slice(0, MAX.listItems).map((item) => safeText(item, MAX.name));
}

/** 128 bits of a digest tell sessions apart, and cannot be sent back as a cookie. */
function sessionDigest(session: string): string {
  return session === '' ? '' : hash('sha256', session, 'hex').slice(0, 32);
}

/** Field names in lower case, without SECRET_HEADERS, up to the bounds of MAX. */
function safeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  let fields = 0;
  let room: number = MAX.headersTotal;
  for (const field in headers) {
    const name = safeText(field.toLowerCase(), MAX.headerName);
    if (SECRET_HEADERS.has(name)) continue;
    const value = safeText(headers[field] ?? '', MAX.headerValue);
    room -= name.length + value.length;
    fields += 1;
    if (room < 0 || fields > MAX.headerFields) break;
    if (name === '__proto__') defineField(kept, name, value);
    else kept[name] = value;
  }
  return kept;
}

/** A header of this name stays a header: an assignment would be lost to the prototype's setter. */
function defineField(fields: Record<string, string>, name: string, value: string): void {
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true });
}

/** One line of JSONCompactEachRow, in the order of EVENT_COLUMNS, without its line feed. */
export function encodeRow(event: DecisionEvent): string {
  return JSON.stringify(EVENT_COLUMNS.map((entry) => entry.read(event)));
}
