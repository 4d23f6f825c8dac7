import type { TransportFacts } from '@guard/config/contract/transport';
import type { Facts } from './facts.ts';
import { isPage } from './representation.ts';
import { passedProxy } from './passed-proxy.ts';

/**
 * The properties that one browser does not change between pages: its connection ({@link connectionClass}), and how its
 * engine writes the header section of a page. The result has five parts, separated by blanks. Some may be empty.
 */
export function clientClass(facts: ClassFacts): string {
  return `${connectionClass(facts.url.scheme, facts.transport)} ${headerShape(facts)}`;
}

type ClassFacts = Pick<Facts, 'method' | 'url' | 'headers' | 'ipFrom' | 'transport'>;

/**
 * The scheme, the cipher suites of the TLS handshake (their part of JA4, and whether there was GREASE), and the order
 * of the HTTP/2 pseudo-header fields. Other parts of the fingerprints differ between new and resumed connections, or
 * between HTTP versions.
 */
export function connectionClass(scheme: string, transport: TransportFacts | undefined): string {
  return `${scheme} ${transport === undefined ? ' ' : transportClass(transport)}`;
}

/** The part of a class that comes from the connection, and not from the single request. */
export function connectionOf(client: string): string {
  return client.split(' ', 3).join(' ');
}

/** The part of a class that comes from the TLS handshake. Empty when Guard saw no handshake. */
export function handshakeOf(client: string): string {
  const [, tls = ''] = client.split(' ', 2);
  return tls;
}

/** Whether a request can come from the client that was judged. An empty part fits every value. */
export function isSameClient(judgedClass: string, requestClass: string): boolean {
  // Without a page, the last parts are empty. Then the judged class begins with the class of the request.
  if (judgedClass.startsWith(requestClass)) return true;
  const parts = requestClass.split(' ');
  return judgedClass
    .split(' ')
    .every((part, index) => part === '' || (parts[index] ?? '') === '' || part === parts[index]);
}

/** Cached for each connection, because a connection has many requests. */
const classesByTransport = new WeakMap<TransportFacts, string>();

function transportClass(transport: TransportFacts): string {
  const knownClass = classesByTransport.get(transport);
  if (knownClass !== undefined) return knownClass;
  const { hello, http2 } = transport;
  const [, ciphers = ''] = hello?.ja4.split('_') ?? [];
  const tls = hello && `${ciphers}${hello.greased ? 'g' : ''}`;
  const newClass = `${tls ?? ''} ${http2?.pseudoHeaders.replaceAll(',', '') ?? ''}`;
  classesByTransport.set(transport, newClass);
  return newClass;
}

/**
 * Whether the request for a page has both Accept-Language and Accept-Encoding, and which of them comes first. Scripts
 * can set these fields and change their place. So the order is compared only when the browser sends
 * Upgrade-Insecure-Requests, as for navigations. The operator's CDN may drop the two fields for some paths, so pages
 * through a CDN all get the value `proxied`. A company's proxy on the visitor's side treats every page in the same way.
 */
function headerShape(facts: ClassFacts): string {
  const { headers } = facts;
  if (!isPage(facts)) return '';
  if (passedProxy(facts)) return 'proxied ';
  if (headers['accept-language'] === undefined || headers['accept-encoding'] === undefined) {
    return 'lacking ';
  }
  if (headers['upgrade-insecure-requests'] === undefined) return 'whole ';
  for (const name in headers) {
    if (name === 'accept-language') return 'whole language';
    if (name === 'accept-encoding') break;
  }
  return 'whole encoding';
}
