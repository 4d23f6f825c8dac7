import { withDashes } from '@guard/config/contract/address-headers';
import { isClaim } from './claims.ts';

/** What a proxy does with a header field, by its name. */
export type HeaderKind =
  | 'end-to-end'
  /** For this hop only (RFC 9110 section 7.6.1). */
  | 'hop-by-hop'
  /** A field of the gateway's own (X-Guard-*), or one that an origin can mistake for it. */
  | 'impostor'
  | 'connection'
  | 'content-length'
  | 'trailer'
  | 'via'
  | 'max-forwards'
  | 'expect'
  /** X-Forwarded-For, -Proto and -Host, which the gateway writes itself. */
  | 'rewritten'
  /** The field of RFC 7239: a claim, which a trusted proxy may not have written either. */
  | 'forwarded'
  /** Says where the request came from or went to; believed from trusted proxies only. */
  | 'claim'
  /** Asks for another method than the one that was judged. */
  | 'method-override';

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // CGI programs would read it as the variable HTTP_PROXY.
  'proxy',
]);

const REWRITTEN: ReadonlySet<string> = new Set([
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
]);

const METHOD_OVERRIDES: ReadonlySet<string> = new Set([
  'x-http-method-override',
  'x-http-method',
  'x-httpmethod',
  'x-httpmethod-override',
  'x-method-override',
  'x-override-method',
  'x-rest-method',
  'x-rest-method-override',
  'http-method-override',
  'method-override',
]);

/**
 * What a request says of itself, its sender and its content. RFC 9110 section 7.6.1 forbids to name such
 * fields in Connection: without them the origin would serve another request than the one judged.
 */
const NEVER_NAMED: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'content-range',
  'authorization',
  'cookie',
  'user-agent',
  'origin',
  'referer',
  'accept',
  'accept-encoding',
  'accept-language',
  'range',
  'cache-control',
]);

const MAX_REMEMBERED = 1_024;
const remembered = new Map<string, HeaderKind>();

/** The kind of a field, by its name as sent. Names repeat, so each spelling is worked out once. */
export function headerKind(name: string): HeaderKind {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const kind = classify(name.toLowerCase());
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (name.length <= 64) remembered.set(name, kind);
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
  // Many origins turn both - and _ into _ (CGI, WSGI), and some every sign (lighttpd), where
  // `X_Guard_Decision` and `X.Guard.Decision` are our own header again.
  const dashed = withDashes(name);
  if (dashed.startsWith('x-guard-')) return 'impostor';
  if (METHOD_OVERRIDES.has(dashed)) return 'method-override';
  const kind = claimKind(dashed);
  // In another spelling no proxy sends it: it stands beside what the proxy did send.
  return kind !== 'end-to-end' && dashed !== name ? 'impostor' : kind;
}

function claimKind(name: string): 'rewritten' | 'forwarded' | 'claim' | 'end-to-end' {
  if (REWRITTEN.has(name)) return 'rewritten';
  if (name === 'forwarded') return name;
  return isClaim(name) ? 'claim' : 'end-to-end';
}

/**
 * The fields that Connection names as hop-by-hop, in lower case; undefined when it names none. What
 * belongs to the message itself cannot be named away.
 */
export function connectionOptions(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') {
    return undefined;
  }
  const names = new Set<string>();
  for (const token of connection.toLowerCase().split(',')) {
    const name = token.trim();
    if (!NEVER_NAMED.has(name)) names.add(name);
  }
  return names;
}
