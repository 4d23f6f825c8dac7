import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { GatewayLimits } from '../base/limits.ts';
import type { ForwardAuth } from './forward-auth.ts';
import { NodeResponse } from '../http1/node-response.ts';

/** The node:http server that other proxies ask. It opens no WebSocket, even when it is asked about one. */
export function createForwardAuthServer(
  answer: ForwardAuth,
  limits: GatewayLimits,
  isClosing: () => boolean,
): Server {
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // Only uploads for the collector have a body that is read. collect.ts limits their time.
    requestTimeout: 0,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: FORWARD_AUTH_LIMITS.keepAliveTimeoutMs,
    maxHeaderSize: FORWARD_AUTH_LIMITS.maxHeaderBytes,
    insecureHTTPParser: false,
    // Node would drop a second X-Original-URL. Node joins the two values instead, and the joined value is invalid.
    joinDuplicateHeaders: true,
    shouldUpgradeCallback: () => false,
  });
  // Node would silently drop the fields above its limit. read-question.ts answers 431 instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleTimeoutMs;

  const answerRequest = (req: IncomingMessage, res: NodeResponse) => {
    if (isClosing()) res.shouldKeepAlive = false;
    answer(req, res);
  };
  server.on('request', answerRequest);
  server.on('checkContinue', answerRequest);
  return server;
}

/** Bounds of forward-auth that differ from the gateway's. */
export const FORWARD_AUTH_LIMITS = {
  /** A check repeats the URL of the request, so its header section is longer than the visitor's. */
  maxHeaderBytes: 64 * 1024,
  /** Longer than proxies keep an idle connection open, so that a proxy never writes to a connection that closes. */
  keepAliveTimeoutMs: 120_000,
  /** How many answers may wait until the proxy fetches them. */
  heldAnswers: 1_024,
  heldBytes: 32 * 1024 * 1024,
  heldMs: 10_000,
  /** Least time between two log lines about the same fault. */
  logEveryMs: 10_000,
} as const;
