import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Log, Metrics } from '@guard/config/contract/ports';
import { NodeResponse } from './node-response.ts';
import type { Intake } from '../listen/accept.ts';
import { addressOf, peerOf } from '../listen/connection.ts';
import type { VisitorSocket } from '../message/message.ts';

/** The node:http server of the gateway: its settings, and which event takes which way. */
export function createNodeServer(intake: Intake): Server {
  const { handle, upgrade, limits } = intake;
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // Uploads may be as long as they like while they move: RequestBody keeps their time.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // framing.ts refuses it, and what stands behind it as well.
    requireHostHeader: false,
    // A second Host must show in the value instead of vanishing: framing.ts.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: isWebSocketHandshake,
  });
  // Node would drop what is above the count without a word; framing.ts answers 431.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeoutMs;

  answerBrokenRequests(server, intake.accept);
  const take = (req: IncomingMessage, res: NodeResponse) => {
    // Node's parser stops behind an Upgrade, also where it was not taken up.
    const isDeaf = req.headers.upgrade !== undefined;
    if (isDeaf || intake.isClosing()) res.shouldKeepAlive = false;
    handle(req, res);
  };
  server.on('request', take);
  // Without a listener Node would invite every upload, wanted or not.
  server.on('checkContinue', take);
  server.on('upgrade', (req, _socket, head) => {
    upgrade(req, head);
  });
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy());
    socket.write(
      'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    // Node keeps no time for this socket any more, so it does not wait for the visitor to close.
    socket.destroySoon();
  });
  return server;
}

/**
 * True for a WebSocket handshake (RFC 6455 section 4.1) and nothing else: with any other Upgrade token,
 * with a body, or behind a request that is not answered yet, a request is a plain one, and its Upgrade
 * header ends here.
 */
function isWebSocketHandshake(req: IncomingMessage): boolean {
  const { upgrade, 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return (
    req.method === 'GET' &&
    req.httpVersionMinor === 1 &&
    upgrade?.toLowerCase() === 'websocket' &&
    req.headers['sec-websocket-key'] !== undefined &&
    length === undefined &&
    coding === undefined &&
    !isAnswering(req.socket)
  );
}

/**
 * Whether an earlier request of the connection is still to be answered, on which its socket cannot be
 * taken over. Node keeps the answer there, and offers no other way to it.
 */
function isAnswering(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer !== undefined && answer !== null;
}

interface BrokenRequestPorts {
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
function answerBrokenRequests(server: Server, { metrics, faults }: BrokenRequestPorts): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = answerTo(error.code ?? '');
    // Node types a Duplex, for servers that make connections of their own.
    if (refusal === undefined || !socket.writable || !(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    brokenOn.set(socket, refusal.status);
    // Browsers open connections in advance, and leave unused ones open until they time out.
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

const BAD_REQUEST = refusalOf(400, 'Bad Request');
const TIMEOUT = refusalOf(408, 'Request Timeout');
const EXTENSIONS_TOO_LARGE = refusalOf(413, 'Payload Too Large');
const FIELDS_TOO_LARGE = refusalOf(431, 'Request Header Fields Too Large');

function refusalOf(status: number, reason: string): Answer {
  return { status, head: `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n\r\n` };
}

/** Undefined for an error of the connection: no client is left to answer. */
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
