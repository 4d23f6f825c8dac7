import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerBrokenRequests } from './broken-request.ts';
import type { Intake } from '../listen/intake.ts';
import { NodeResponse } from './node-response.ts';

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
