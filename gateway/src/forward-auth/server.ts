import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { GatewayLimits } from '../base/limits.ts';
import { NodeResponse } from '../http1/node-response.ts';
import type { ForwardAuth } from './forward-auth.ts';
import { FORWARD_AUTH_LIMITS } from './limits.ts';

/** The node:http server that other proxies ask. No WebSocket ends here: a handshake is asked about like any request. */
export function createForwardAuthServer(
  answer: ForwardAuth,
  limits: GatewayLimits,
  isClosing: () => boolean,
): Server {
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // Only uploads for the collector have a body that is read, and collector-path.ts keeps their time.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: FORWARD_AUTH_LIMITS.keepAliveTimeoutMs,
    maxHeaderSize: FORWARD_AUTH_LIMITS.maxHeaderBytes,
    insecureHTTPParser: false,
    // A second X-Original-URL must show in the value instead of vanishing.
    joinDuplicateHeaders: true,
    shouldUpgradeCallback: () => false,
  });
  // Node would drop what is above the count without a word; read-question.ts answers 431.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeoutMs;

  const take = (req: IncomingMessage, res: NodeResponse) => {
    if (isClosing()) res.shouldKeepAlive = false;
    answer(req, res);
  };
  server.on('request', take);
  server.on('checkContinue', take);
  return server;
}
