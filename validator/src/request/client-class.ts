import type { TransportFacts } from '@guard/config/contract/transport';
import type { Facts } from './facts.ts';
import { isPage } from './representation.ts';
import { passedProxy } from './passed-proxy.ts';

/**
 * The client class: properties that one browser does not change between pages. These are its connection ({@link
 * connectionClass}), and how its engine writes the header section of a page. The result has five parts, separated by
 * blanks. Each part can be empty.
 */
export function clientClass(facts: ClassFacts): string {
  return `${connectionClass(facts.url.scheme, facts.transport)} ${headerShape(facts)}`;
}

type ClassFacts = Pick<Facts, 'method' | 'url' | 'headers' | 'ipFrom' | 'transport'>;

/**
 * The scheme, the cipher suites of the TLS handshake (their part of JA4, and whether there was GREASE), and the order
 * of the HTTP/2 pseudo-header fields. All other parts of the fingerprints can differ between the connections of one
 * browser.
 */
export function connectionClass(scheme: string, transport: TransportFacts | undefined): string {
  return `${scheme} ${transport === undefined ? ' ' : transportClass(transport)}`;
}

/** The parts of a class that come from the connection, and not from the request. */
export function connectionOf(client: string): string {
  return client.split(' ', 3).join(' ');
}

/** The part of a class that comes from the TLS handshake. Empty when Guard saw no handshake. */
export function handshakeOf(client: string): string {
  const [, tls = ''] = client.split(' ', 2);
  return tls;
}

/** Whether a request can come from the judged client. An empty part matches every value. */
export function isSameClient(judgedClass: string, requestClass: string): boolean {
  // When the request is for no page, its last parts are empty. Then the judged class can begin with the class of the
  // request.
  if (judgedClass.startsWith(requestClass)) return true;
  const parts = requestClass.split(' ');
  return judgedClass
    .split(' ')
    .every((part, index) => part === '' || (parts[index] ?? '') === '' || part === parts[index]);
}

/** A cache by connection, because a connection has many requests. */
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
 * of a page can change the order of these fields. So the order is read only with Upgrade-Insecure-Requests, which
 * browsers send with navigations. The operator's CDN can drop the two fields for some paths, so all pages through a CDN
 * get the value `proxied`. A company's proxy on the visitor's side is no problem, because it changes every page request
 * in the same way.
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
