import { VALIDATE } from '@guard/config/contract/limits';

/** Every bound of the gateway. Milliseconds, bytes and counts, as the names say. */
export interface GatewayLimits {
  /** A visitor has this long to send a complete header section (408 after it). */
  readonly headersTimeoutMs: number;
  readonly connectionsCheckingIntervalMs: number;
  /** A visitor's connection on which nothing moves. Longer than the origin's own time, which answers first. */
  readonly idleTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Time for the header of the PROXY protocol, where it is spoken. */
  readonly proxyHeaderMs: number;
  /** Time for the first message of a TLS handshake, and for all of it. */
  readonly helloMs: number;
  readonly handshakeMs: number;
  /** Time for the SETTINGS of an HTTP/2 connection, before it is served without having seen them. */
  readonly http2OpeningMs: number;
  /** Requests of one HTTP/2 connection that may be under way at once. */
  readonly http2Streams: number;
  /** Streams of one HTTP/2 connection that a visitor may reset: at once, and a second (CVE-2023-44487). */
  readonly http2ResetBurst: number;
  readonly http2ResetRate: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxTargetLength: number;
  readonly maxConnections: number;
  /** Those of one address (IPv4, or /64) among them. A trusted proxy has no such limit. */
  readonly maxConnectionsPerAddress: number;
  /** Requests of one connection that may be under way at once (pipelining). */
  readonly maxPipelined: number;
  /** Longest pause between two parts of an upload that the origin is waiting for. */
  readonly uploadIdleMs: number;
  /** Longest that a visitor who asked first waits for the origin to want the body (RFC 9110 section 10.1.1). */
  readonly continueMs: number;
  /** Longest that a question waits for the first bytes of a body that is sampled. */
  readonly bodySampleMs: number;
  /** How long the rest of an upload is read and thrown away after it was answered. */
  readonly lingerMs: number;
  /** Budget of one answer of the in-process validator (contract 4.1 rule 1). */
  readonly askTimeoutMs: number;
  readonly originConnectMs: number;
  readonly originHeadersMs: number;
  readonly originBodyIdleMs: number;
  readonly originMaxHeaderBytes: number;
  /** Requests without a body under way at one origin; above it the visitor gets 503. */
  readonly originPlainRequests: number;
  /** The same for requests with a body, counted apart so that slow uploads do not delay other visitors. */
  readonly originUploads: number;
  /** How long an origin that no site has any more stays open, for requests that began before. */
  readonly originRetireMs: number;
  /** WebSockets that are open at the same time, and those of one address (IPv4, or /64) among them. */
  readonly maxUpgrades: number;
  readonly maxUpgradesPerAddress: number;
  readonly collectorBodyBytes: number;
  readonly collectorBodyMs: number;
  /** All uploads below `/.guard/` together, in each worker. */
  readonly collectorBytes: number;
  /** How long `close` waits for requests under way. */
  readonly drainMs: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  headersTimeoutMs: 10_000,
  connectionsCheckingIntervalMs: 1_000,
  idleTimeoutMs: 330_000,
  keepAliveTimeoutMs: 60_000,
  proxyHeaderMs: 5_000,
  helloMs: 5_000,
  handshakeMs: 10_000,
  http2OpeningMs: 2_000,
  http2Streams: 100,
  http2ResetBurst: 500,
  http2ResetRate: 33,
  maxHeaderBytes: 32 * 1024,
  maxHeaders: VALIDATE.maxHeaders,
  // Leaves room for `https://` and the longest host name in the URL that the validator is asked about.
  maxTargetLength: VALIDATE.maxUrlLength - 264,
  maxConnections: 16_384,
  maxConnectionsPerAddress: 4_096,
  maxPipelined: 64,
  uploadIdleMs: 30_000,
  continueMs: 1_000,
  bodySampleMs: 100,
  lingerMs: 30_000,
  askTimeoutMs: VALIDATE.budgetMs,
  originConnectMs: 5_000,
  originHeadersMs: 60_000,
  originBodyIdleMs: 300_000,
  originMaxHeaderBytes: 64 * 1024,
  originPlainRequests: 4_096,
  originUploads: 1_024,
  originRetireMs: 120_000,
  maxUpgrades: 4_096,
  maxUpgradesPerAddress: 512,
  collectorBodyBytes: 64 * 1024,
  collectorBodyMs: 10_000,
  collectorBytes: 32 * 1024 * 1024,
  drainMs: 30_000,
};
