import type { TransportFacts } from '@guard/config/contract/transport';
import type { VisitorSocket } from '../message/message.ts';

const known = new WeakMap<VisitorSocket, TransportFacts>();

/** Notes what a connection, or a stream of it, showed of the program behind it. */
export function noteTransport(socket: VisitorSocket, facts: TransportFacts): void {
  known.set(socket, facts);
}

/** Undefined when TLS was not ended here: the connection is plain, or somebody else ended it. */
export function transportOf(socket: VisitorSocket): TransportFacts | undefined {
  return known.get(socket);
}
