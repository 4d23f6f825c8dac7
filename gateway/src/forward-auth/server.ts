import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { GatewayLimits } from '../base/limits.ts';
import type { ForwardAuth } from './forward-auth.ts';
import { NodeResponse } from '../http1/node-response.ts';

/** The node:http server that other proxies ask. No WebSocket ends here: a handshake is asked about like any request. */
export function createForwardAuthServer(
  answer: ForwardAuth,
  limits: GatewayLimits,
  isClosing: () => boolean,
): Server {
  const server = createServer({
    ServerResponse: NodeResponse,
    headersTimeout: limits.headersTimeoutMs,
    // Only uploads for the collector have a body that is read, and collect.ts keeps their time.
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

/** Bounds of the forward-auth listener beside those of the gateway. Milliseconds, bytes and counts, as the names say. */
export const FORWARD_AUTH_LIMITS = {
  /** A check repeats the URL of the request, so its header section is longer than the visitor's. */
  maxHeaderBytes: 64 * 1024,
  /** Longer than a proxy keeps its own side open, so that it never writes to a connection that is closing. */
  keepAliveTimeoutMs: 120_000,
  /** Answers that wait to be fetched. */
  heldAnswers: 1_024,
  heldBytes: 32 * 1024 * 1024,
  heldMs: 10_000,
  /** Least time between two log lines about the same fault. */
  logEveryMs: 10_000,
} as const;
