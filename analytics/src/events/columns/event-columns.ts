import { BODY_SAMPLE } from '@guard/config/contract/limits';
import type { DecisionEvent } from '@guard/config/contract/event';
import { SECRET_HEADERS } from '@guard/config/contract/secret-headers';
import {
  column,
  count,
  type EventColumn,
  flag,
  fromHeader,
  MAX_NAME,
  smallCount,
  text,
  WORD,
  word,
  words,
} from './column.ts';
import { type AgentNames, agentNames } from './agent-names.ts';

const MAX_LENGTH = {
  host: 512,
  method: 32,
  userAgent: 2048,
  referrer: 512,
  /** Maximum length of the path, and also of the query. */
  target: 8192,
  body: BODY_SAMPLE.maxKiB * 1024,
} as const;

const NO_FINDINGS: readonly string[] = [];
const NO_POINTS: readonly number[] = [];

function namesOf({ userAgent, crawler }: DecisionEvent): AgentNames {
  return agentNames(userAgent, crawler !== undefined);
}

/** The event record (contract 2.7): DDL, inserted rows and comments of `list_columns` come from this table. */
export const EVENT_COLUMNS: readonly EventColumn[] = [
  column(
    'created_at',
    "DateTime64(3, 'UTC')",
    'Time of the decision. It is the sort key, so put a range on it in every query.',
    { kind: 'time', read: (event) => event.createdAt },
    { codec: 'Delta(8), ZSTD(1)' },
  ),
  column('request_id', 'UUID', 'Identifies the decision.', {
    kind: 'uuid',
    read: (event) => event.requestId,
  }),
  word('organisation', 'Organisation of the event.', (event) => event.organisation),
  word('site', 'Site of the gateway; empty when /validate was called directly.', (e) => e.site),
  word(
    'action',
    'What was enforced: allow, block, challenge or limited. Count stopped requests with this one.',
    (event) => event.action,
  ),
  word(
    'decision',
    'Verdict before monitor mode and observe mode: allow, block, challenge, limited or none.',
    (event) => event.decision,
  ),
  word('response', 'The decision as it went out: allow, block or redirect.', (e) => e.response),
  smallCount(
    'status_code',
    'Status that the visitor got; 499 if the visitor disconnected first. With forward-auth and /validate the decided status.',
    (event) => event.statusCode,
  ),
  smallCount(
    'origin_status',
    'Status of the origin; 0 if no origin answered this gateway.',
    (event) => event.originStatus ?? 0,
  ),
  count(
    'origin_us',
    'Time until the header section of the origin came, in microseconds.',
    (event) => event.originUs ?? 0,
  ),
  word('rule', 'Name of the rule that decided; empty when none matched.', (event) => event.rule),
  flag('monitor', 'A rule in monitor mode applied.', (event) => event.monitor),
  flag(
    'observe',
    'The decision was only recorded, and nothing was enforced.',
    (event) => event.observe,
  ),
  flag('rate_limited', 'A rate limit was exceeded.', (event) => event.rateLimited),
  words('block_reasons', 'Signals behind a block.', (event) => event.blockReasons),
  words(
    'block_reason_categories',
    'Categories of those signals.',
    (event) => event.blockReasonCategories,
  ),
  column(
    'findings',
    `Map(${WORD}, UInt16)`,
    'All findings of detection with their points, even if they changed nothing.',
    {
      kind: 'words',
      read: (event) => event.findings ?? NO_FINDINGS,
      numbers: (event) => event.findingPoints ?? NO_POINTS,
    },
  ),
  word('crawler_id', 'Identifier of the crawler, or empty.', (event) => event.crawler?.id ?? ''),
  word('crawler_name', 'Name of the crawler, or empty.', (event) => event.crawler?.name ?? ''),
  word('crawler_category', 'Catalogue category, or empty.', (e) => e.crawler?.category ?? ''),
  word(
    'crawler_rsl_category',
    'Catalogue category key, or empty.',
    (event) => event.crawler?.rslCategory ?? '',
  ),
  flag(
    'crawler_verified',
    "The crawler's claim is proved.",
    (event) => event.crawler?.verified ?? false,
  ),
  word(
    'signed_agent',
    'Name of the agent whose signature on the request is valid; empty without one.',
    (event) => event.signedAgent?.name ?? '',
  ),
  word('method', 'HTTP method.', (event) => event.method, MAX_LENGTH.method),
  word('scheme', 'http or https.', (event) => event.scheme),
  word(
    'protocol',
    'Protocol of the request at the gateway: HTTP/1.0, HTTP/1.1 or HTTP/2.0; empty elsewhere.',
    (event) => event.protocol ?? '',
  ),
  ...fromHeader(
    'host',
    word('host', 'Requested host.', (event) => event.host, MAX_LENGTH.host),
  ),
  text('path', MAX_LENGTH.target, 'Requested path.', (event) => event.path),
  text(
    'query',
    MAX_LENGTH.target,
    'Query string, without its question mark.',
    (event) => event.query,
  ),
  ...fromHeader(
    'referer',
    text(
      'referrer_origin',
      MAX_LENGTH.referrer,
      'Scheme and host of the Referer, or empty.',
      (event) => event.referrerOrigin,
    ),
  ),
  text('ip', MAX_NAME, 'Client address, IPv4 or IPv6.', (event) => event.ip),
  word(
    'ip_from',
    'Who says so: peer (the connection), x-forwarded-for or forwarded (a trusted proxy), caller (of /validate).',
    (event) => event.ipFrom ?? '',
  ),
  count('asn', 'Autonomous system of the address; 0 if it is not known.', (e) => e.asn ?? 0),
  word('asn_name', 'Owner of that autonomous system, or empty.', (event) => event.asnName ?? ''),
  word('country', 'ISO 3166-1 alpha-2 code of the address, or empty.', (event) => event.country),
  ...fromHeader(
    'user-agent',
    text('user_agent', MAX_LENGTH.userAgent, 'User-Agent header.', (event) => event.userAgent),
    word(
      'browser',
      'Browser that the User-Agent claims, such as chrome or safari; empty for crawlers and other programs.',
      (event) => namesOf(event).browser,
    ),
    smallCount(
      'browser_version',
      'Major version that the User-Agent claims, or 0.',
      (event) => namesOf(event).version,
    ),
    word(
      'os',
      'Operating system it claims, such as windows, macos, ubuntu, android or ios; or empty.',
      (event) => namesOf(event).os,
    ),
    word(
      'device',
      'Device it claims: desktop, mobile, tablet, smarttv, console, wearable, embedded; or empty.',
      (event) => namesOf(event).device,
    ),
  ),
  ...fromHeader(
    'cookie',
    text(
      'session',
      MAX_NAME,
      'Digest of the session id, which is itself a credential. Empty without a session.',
      (event) => event.session,
    ),
    text(
      'session_sent',
      MAX_NAME,
      'Digest of the session id that the request sent; empty if it sent none.',
      (event) => event.sessionSent ?? '',
    ),
  ),
  word(
    'challenge',
    'State of the visitor at the challenge: none, issued, verified, rejected or failed.',
    (event) => event.challenge,
  ),
  text('reference', MAX_NAME, 'Reference code shown to the visitor.', (event) => event.reference),
  word('validator', 'Who decided: in-process, api or remote.', (event) => event.validator),
  text('ja4', MAX_NAME, 'JA4 of the TLS handshake, if the gateway saw it.', (e) => e.ja4 ?? ''),
  text(
    'http2',
    MAX_LENGTH.host,
    'How HTTP/2 was opened: settings, window, priorities, pseudo-header order.',
    (event) => event.http2 ?? '',
  ),
  word(
    'settings_revision',
    'Revision of the settings that decided, as guard check and the log name it.',
    (event) => event.settingsRevision ?? '',
  ),
  count('duration_us', 'How long the decision took, in microseconds.', (e) => e.durationUs),
  count('facts_us', 'Of that: reading the request.', (e) => e.stagesUs?.facts ?? 0),
  count(
    'session_us',
    'Of that: reading the session from the store.',
    (e) => e.stagesUs?.session ?? 0,
  ),
  count('verdict_us', 'Of that: rules and detection.', (e) => e.stagesUs?.verdict ?? 0),
  column(
    'headers',
    `Map(${WORD}, String)`,
    'Request headers without credentials, names in lower case. After the first 8 KiB each value is cut to 64 characters. Kept 14 days.',
    {
      kind: 'fields',
      isKept: (name) => !SECRET_HEADERS.has(name),
      read: (event) => event.headers,
    },
    // A query for one header field reads all fields. With LZ4 it takes half the time that it takes with ZSTD(3), but
    // ZSTD(3) needs only six tenths of the space. With the fields in buckets, a query for one field is even faster, but
    // a query for all fields is much slower.
    { codec: 'LZ4', retention: 'detail' },
  ),
  column(
    'body',
    'String',
    'First bytes of the request body as text, on sites that sample it. Secrets become ***, bytes that are no UTF-8 become U+FFFD. Kept 14 days.',
    { kind: 'text', maxLength: MAX_LENGTH.body, read: (event) => event.body ?? '' },
    { retention: 'detail' },
  ),
];
