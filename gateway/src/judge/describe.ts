import type { IncomingHttpHeaders } from 'node:http';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { Inquiry } from '../arrive/visit.ts';

/**
 * Contract 2.1: the visitor's request as the validator is asked about it. The URL holds the path exactly
 * as it will reach the origin. `cookie` is left out: the validator takes `_guard` from the Cookie header.
 */
export function describe({ req, client, host, target }: Inquiry): ValidateRequest {
  const { referer } = req.headers;
  const facts = {
    url: `${client.scheme}://${host}${target}`,
    ip: client.ip,
    method: req.method ?? 'GET',
    headers: singleValues(req.headers),
  };
  return referer === undefined ? facts : { ...facts, referrer: referer };
}

/**
 * What the handshake showed of the visitor. Undefined where a proxy made the connection, because its handshake says
 * nothing about the visitor.
 */
export function transportOfVisitor({
  client,
  connection,
}: Pick<Inquiry, 'client' | 'connection'>): TransportFacts | undefined {
  return client.from === 'peer' && !connection.trusted ? connection.transport : undefined;
}

/**
 * Node makes a list of Set-Cookie, which is a response field, and one joined text of every other field. The
 * gateway's own readers make texts of all, whatever the type says.
 */
function singleValues(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const list: unknown = headers['set-cookie'];
  // Safe by the sentence above; the common case shares the object of the request instead of copying it.
  const single = headers as Record<string, string>;
  return Array.isArray(list) ? { ...single, 'set-cookie': list.join(', ') } : single;
}
