import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import { NodeResponse } from './node-response.ts';
import type { AcceptOptions, ServerParts } from '../listen/accept.ts';
import { addressOf, peerOf } from '../listen/connection.ts';
import type { VisitorSocket } from '../message/message.ts';
import { handleInTurn, openAnswer } from './pipelining.ts';

export function createNodeServer(parts: ServerParts): Server {
  const { handle, upgrade, limits } = parts;
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // An upload may take any time while bytes arrive. RequestBody notices when they stop.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // framing.ts refuses a missing Host, and the later requests on the connection.
    requireHostHeader: false,
    // Node would drop a second Host. Joined to the first, it makes the value invalid, and framing.ts refuses it.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: isWebSocketHandshake,
  });
  // Node would silently drop the fields above its limit. framing.ts answers 431 instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeoutMs;

  answerBrokenRequests(server, parts.accept);
  const onRefused = () => parts.accept.metrics.count('guard_gateway_requests_total', 'refused');
  const handleRequest = (req: IncomingMessage, res: NodeResponse) => {
    // Node's parser reads nothing after a request with Upgrade, even when the upgrade was not accepted.
    const hasParserStopped = req.headers.upgrade !== undefined;
    if (hasParserStopped || parts.isClosing()) res.shouldKeepAlive = false;
    handleInTurn(req, res, () => handle(req, res), { limits, onRefused });
  };
  server.on('request', handleRequest);
  // Without a listener Node would answer every `Expect` with 100 (Continue).
  server.on('checkContinue', handleRequest);
  server.on('upgrade', (req, _socket, head) => {
    // Node must never upgrade a connection that still sends an answer: the next one would throw.
    if (openAnswer(req.socket) === undefined) upgrade(req, head);
    else req.socket.destroy();
  });
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy());
    // Behind a request without its answer, these bytes would be read as that answer.
    if (openAnswer(socket) === undefined) {
      socket.write(
        'HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
    }
    // Node has no time-out on this socket any more, so Guard closes it and does not wait for the visitor.
    socket.destroySoon();
  });
  return server;
}

/**
 * Whether the request is a WebSocket handshake (RFC 6455 section 4.1). A request with another Upgrade token, with a
 * body, or after an unanswered request is an ordinary request. Its Upgrade header is removed.
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
    openAnswer(req.socket) === undefined
  );
}

const refusalStatus = new WeakMap<VisitorSocket, number>();

/**
 * The status that was sent when the parser refused the bytes of a connection. Undefined when it refused none. Call
 * it at the end of the turn: Node announces a chunked request after its header section, and may refuse that section
 * (a tab after `chunked`) or a chunk of the same read afterwards.
 */
export function brokenStatus(socket: VisitorSocket): number | undefined {
  return refusalStatus.get(socket);
}

/**
 * Counts and answers when Node's parser refuses bytes, or has waited too long for a request. The answers are Node's
 * own.
 */
function answerBrokenRequests(
  server: Server,
  { metrics, throttledLog }: Pick<AcceptOptions, 'metrics' | 'throttledLog'>,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalFor(error.code ?? '');
    // Node's type is a Duplex, because a server can be given connections of another kind.
    if (refusal === undefined || !socket.writable || !(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    refusalStatus.set(socket, refusal.status);
    // A connection without a byte is not counted: browsers open connections in advance, and unused ones time out.
    if (socket.bytesRead > 0) {
      const peer = addressOf(peerOf(socket));
      metrics.count('guard_gateway_requests_total', 'refused');
      const { status } = refusal;
      throttledLog('info', 'gateway_request_refused', { status, reason: error.code ?? '', peer });
    }
    // In the middle of an earlier answer, the visitor would take this one for a part of it.
    if (!hasBegunToAnswer(socket)) socket.write(refusal.head);
    socket.destroySoon();
  });
}

interface Refusal {
  readonly status: number;
  readonly head: string;
}

const BAD_REQUEST = refusalOf(400, 'Bad Request');
const TIMEOUT = refusalOf(408, 'Request Timeout');
const EXTENSIONS_TOO_LARGE = refusalOf(413, 'Payload Too Large');
const FIELDS_TOO_LARGE = refusalOf(431, 'Request Header Fields Too Large');

function refusalOf(status: number, reason: string): Refusal {
  return { status, head: `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n\r\n` };
}

/** Undefined for an error of the connection, on which no answer can be sent. */
function refusalFor(code: string): Refusal | undefined {
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

function hasBegunToAnswer(socket: Socket): boolean {
  const answer = openAnswer(socket);
  return answer !== undefined && Reflect.get(answer, 'headersSent') === true;
}
