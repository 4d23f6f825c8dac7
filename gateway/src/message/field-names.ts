import { ADDRESS_HEADERS, withDashes } from '@guard/config/contract/address-headers';

export interface FieldName {
  readonly spelling: string;
  /** The name and a colon: the beginning of a line. */
  readonly withColon: string;
  readonly lower: string;
  /** Whether a request with this field may have a body, ask for another protocol, or expect an interim answer. */
  readonly asksForMore: boolean;
  /** The name that followed this name in the last header section. */
  follower: FieldName | undefined;
}

const FIELDS_THAT_ASK_FOR_MORE: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const MAX_REMEMBERED_NAMES = 1_024;
const MAX_REMEMBERED_LENGTH = 64;

/**
 * The field names of requests, or the field names of answers. Programs send their fields in the same order each time.
 * So this class first tries the name that followed the last time. This needs no copy and no look-up.
 */
export class FieldNames {
  /** The name before the first name of a header section. */
  readonly beforeFirst = makeName('');
  readonly #namesBySpelling = new Map<string, FieldName>();

  /** The name at the beginning of a line, if it followed `previousName` the last time too. */
  guess(line: string, at: number, previousName: FieldName): FieldName | undefined {
    const guess = previousName.follower;
    return guess !== undefined && line.startsWith(guess.withColon, at) ? guess : undefined;
  }

  /** The name with this spelling. It is remembered as the follower of `previousName`. */
  take(spelling: string, previousName: FieldName): FieldName {
    const name = this.#nameOf(spelling);
    if (name.spelling.length <= MAX_REMEMBERED_LENGTH) previousName.follower = name;
    return name;
  }

  #nameOf(spelling: string): FieldName {
    const knownName = this.#namesBySpelling.get(spelling);
    if (knownName !== undefined) return knownName;
    const name = makeName(spelling);
    if (this.#namesBySpelling.size >= MAX_REMEMBERED_NAMES) this.#namesBySpelling.clear();
    if (spelling.length <= MAX_REMEMBERED_LENGTH) this.#namesBySpelling.set(name.spelling, name);
    return name;
  }
}

function makeName(source: string): FieldName {
  // The name is copied, because `source` can be a slice that keeps a whole header section in memory.
  const spelling = Buffer.from(source, 'latin1').toString('latin1');
  const lower = spelling.toLowerCase();
  const asksForMore = FIELDS_THAT_ASK_FOR_MORE.has(lower);
  return { spelling, withColon: `${spelling}:`, lower, asksForMore, follower: undefined };
}

/** The kinds of header fields, by what a proxy has to do with them. */
export type HeaderKind =
  | 'end-to-end'
  /** A field for this hop only (RFC 9110 section 7.6.1). */
  | 'hop-by-hop'
  /** A field that only the gateway may send (X-Guard-*), or one that an origin could read as such a field. */
  | 'impostor'
  | 'connection'
  | 'content-length'
  | 'trailer'
  | 'via'
  | 'max-forwards'
  | 'expect'
  /** X-Forwarded-For, -Proto and -Host, which the gateway writes itself. */
  | 'rewritten'
  /** The field of RFC 7239. The visitor may have written it, even when the peer is a trusted proxy. */
  | 'forwarded'
  /** A field that says where the request came from or went to. Guard believes it only from trusted proxies. */
  | 'claim'
  /** A field that asks for another method than the judged method. */
  | 'method-override';

const HOP_BY_HOP: ReadonlySet<string> = new Set(
  [
    'keep-alive proxy-connection proxy-authenticate proxy-authentication-info',
    'proxy-authorization te transfer-encoding upgrade http2-settings',
    // CGI programs would read it as the variable HTTP_PROXY.
    'proxy',
  ].flatMap((line) => line.split(' ')),
);

const REWRITTEN_NAMES: ReadonlySet<string> = new Set([
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
]);

const METHOD_OVERRIDES: ReadonlySet<string> = new Set(
  [
    'x-http-method-override x-http-method x-httpmethod x-httpmethod-override',
    'x-method-override x-override-method x-rest-method x-rest-method-override',
    'http-method-override method-override',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Fields about the request, its sender and its content. RFC 9110 section 7.6.1 forbids these names in Connection. If
 * such a field were removed, the origin would get another request than the judged request.
 */
const NEVER_CONNECTION_OPTIONS: ReadonlySet<string> = new Set(
  [
    'host content-length content-type content-encoding content-range authorization cookie',
    'user-agent origin referer accept accept-encoding accept-language range cache-control',
  ].flatMap((line) => line.split(' ')),
);

const kindsBySpelling = new Map<string, HeaderKind>();

/** The kind of a field with this name as sent. The result for each spelling is kept, because names repeat. */
export function headerKind(name: string): HeaderKind {
  const knownKind = kindsBySpelling.get(name);
  if (knownKind !== undefined) return knownKind;
  const kind = classify(name.toLowerCase());
  if (kindsBySpelling.size >= MAX_REMEMBERED_NAMES) kindsBySpelling.clear();
  if (name.length <= MAX_REMEMBERED_LENGTH) kindsBySpelling.set(name, kind);
  return kind;
}

function classify(name: string): HeaderKind {
  switch (name) {
    case 'connection':
    case 'content-length':
    case 'trailer':
    case 'via':
    case 'max-forwards':
    case 'expect':
      return name;
  }
  if (HOP_BY_HOP.has(name)) return 'hop-by-hop';
  // Many origins turn both - and _ into _ (CGI, WSGI), and some turn every punctuation mark into _ (lighttpd). For
  // them `X_Guard_Decision` and `X.Guard.Decision` are the same as our own header.
  const dashedName = withDashes(name);
  if (dashedName.startsWith('x-guard-')) return 'impostor';
  if (METHOD_OVERRIDES.has(dashedName)) return 'method-override';
  const kind = claimKind(dashedName);
  // No proxy writes such a field with other punctuation, so the visitor wrote it.
  return kind !== 'end-to-end' && dashedName !== name ? 'impostor' : kind;
}

function claimKind(name: string): 'rewritten' | 'forwarded' | 'claim' | 'end-to-end' {
  if (REWRITTEN_NAMES.has(name)) return 'rewritten';
  if (name === 'forwarded') return name;
  return isClaim(name) ? 'claim' : 'end-to-end';
}

/**
 * The fields that Connection names, in lower case, without the names in NEVER_CONNECTION_OPTIONS. Undefined when
 * Connection names none.
 */
export function connectionOptions(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set<string>();
  for (const token of connection.toLowerCase().split(',')) {
    const name = token.trim();
    if (!NEVER_CONNECTION_OPTIONS.has(name)) names.add(name);
  }
  return names;
}

/**
 * Other fields than X-Forwarded-* that say where a request came from or went to. Balancers, CDNs and clouds write
 * them. Frameworks, their plug-ins and PHP programs believe them. In lower case.
 */
const CLAIM_NAMES: ReadonlySet<string> = new Set([
  ...ADDRESS_HEADERS,
  ...[
    // The host, path and method that the visitor asked for.
    'forwarded-host x-envoy-original-path x-host x-host-override x-http-host',
    'x-http-host-override x-original-path x-real-host x-request-uri x-rewrite-path',
    'x-original-host x-original-method x-original-uri x-original-url x-override-url',
    'x-proxy-url x-rewrite-uri x-rewrite-url',
    // The scheme and the port.
    'cf-visitor cloudfront-forwarded-proto x-arr-ssl fastly-ssl forwarded-proto',
    'front-end-https wl-proxy-ssl x-original-proto x-original-scheme x-scheme x-url-scheme',
  ].flatMap((line) => line.split(' ')),
]);

/** The beginnings of names that are claims. Vendors add names such as X-Forwarded-Ssl and Fly-Forwarded-Port. */
const CLAIM_BEGINNINGS = [
  'x-forwarded-',
  'x-original-forwarded-',
  'x-vercel-forwarded-',
  'fly-forwarded-',
];

/** Whether a field says where a request came from or went to. `name` is in lower case, with dashes. */
function isClaim(name: string): boolean {
  return CLAIM_NAMES.has(name) || CLAIM_BEGINNINGS.some((beginning) => name.startsWith(beginning));
}
