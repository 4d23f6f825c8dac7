import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Log, Metrics } from '@guard/config/contract/ports';
import type { VisitorSocket } from '../message/message.ts';
import { addressOf, peerOf } from '../listen/peer.ts';

export interface BrokenRequestPorts {
  readonly metrics: Metrics;
  readonly faults: Log;
}

const brokenOn = new WeakMap<VisitorSocket, number>();

/**
 * What the visitor was told where the parser has refused what came on a connection. Node announces a
 * chunked request when it has the header section, and can refuse that very section (a tab behind
 * `chunked`) or a chunk of the same read afterwards: ask at the end of the turn.
 */
export function brokenStatus(socket: VisitorSocket): number | undefined {
  return brokenOn.get(socket);
}

/**
 * Answers what Node's parser does not take for a request, or waited for too long, as Node would by
 * itself: and counts it, which Node would not.
 */
export function answerBrokenRequests(
  server: Server,
  { metrics, faults }: BrokenRequestPorts,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = answerTo(error.code ?? '');
    // Node types a Duplex, for servers that make connections of their own.
    if (refusal === undefined || !socket.writable || !(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    brokenOn.set(socket, refusal.status);
    // Browsers open connections in advance, and let those that they need no more run out.
    if (socket.bytesRead > 0) {
      const peer = addressOf(peerOf(socket));
      metrics.count('guard_gateway_requests_total', 'refused');
      const { status } = refusal;
      faults('info', 'gateway_request_refused', { status, reason: error.code ?? '', peer });
    }
    // In the middle of an earlier answer another one would be taken for a part of it.
    if (!hasBegunToAnswer(socket)) socket.write(refusal.head);
    socket.destroySoon();
  });
}

interface Answer {
  readonly status: number;
  readonly head: string;
}

const BAD_REQUEST = answer(400, 'Bad Request');
const TIMEOUT = answer(408, 'Request Timeout');
const EXTENSIONS_TOO_LARGE = answer(413, 'Payload Too Large');
const FIELDS_TOO_LARGE = answer(431, 'Request Header Fields Too Large');

function answer(status: number, reason: string): Answer {
  return { status, head: `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n\r\n` };
}

/** Undefined for an error of the connection, where nobody is left to answer. */
function answerTo(code: string): Answer | undefined {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return TIMEOUT;
    case 'HPE_HEADER_OVERFLOW':
      return FIELDS_TOO_LARGE;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return EXTENSIONS_TOO_LARGE;
    default:
      return code.startsWith('HPE_') ? BAD_REQUEST : undefined;
  }
}

/** Node keeps the answer that is being written there, and offers no other way to it. */
function hasBegunToAnswer(socket: Socket): boolean {
  const message: unknown = Reflect.get(socket, '_httpMessage');
  return (
    typeof message === 'object' &&
    message !== null &&
    'headersSent' in message &&
    message.headersSent === true
  );
}
