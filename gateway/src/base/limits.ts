import { VALIDATE } from '@guard/config/contract/limits';

/** Every bound of the gateway. */
export interface GatewayLimits {
  /** A visitor has this long to send a complete header section. After that the answer is 408. */
  readonly headersTimeoutMs: number;
  readonly connectionsCheckingIntervalMs: number;
  /**
   * A visitor's connection is closed after this time without a byte. The time is longer than the time limits of the
   * origin, which have to end first.
   */
  readonly idleTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Time for the PROXY header of a connection, if the settings require one. */
  readonly proxyHeaderMs: number;
  /** Time for the first message of a TLS handshake (`helloMs`), and for the whole handshake (`handshakeMs`). */
  readonly helloMs: number;
  readonly handshakeMs: number;
  /**
   * The gateway waits this long for the SETTINGS of an HTTP/2 connection. After that it serves the connection without
   * them.
   */
  readonly http2OpeningMs: number;
  /** Requests of one HTTP/2 connection that may be under way at once. */
  readonly http2Streams: number;
  /**
   * How many streams of one HTTP/2 connection a visitor may reset (CVE-2023-44487): at once (`http2ResetBurst`), and
   * per second (`http2ResetRate`).
   */
  readonly http2ResetBurst: number;
  readonly http2ResetRate: number;
  /**
   * How many answers may be unread: of all visitors, and of one address (IPv4, or IPv6 /48). Over HTTP/2 these are
   * complete answers.
   */
  readonly unreadAnswers: number;
  readonly unreadAnswersPerAddress: number;
  /** When one address exceeds its bound, its unread answers that are younger than this are kept. */
  readonly unreadAnswersMs: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxTargetLength: number;
  readonly maxConnections: number;
  /** How many connections one address (IPv4, or IPv6 /64) may have. A trusted proxy has no such limit. */
  readonly maxConnectionsPerAddress: number;
  /** How many connections all addresses may have together. Connections of trusted proxies are not counted. */
  readonly maxUntrustedConnections: number;
  /** Requests of one HTTP/1.1 connection that may wait for their answers at once (pipelining). */
  readonly maxPipelined: number;
  /** Longest pause between two parts of an upload that the origin is waiting for. */
  readonly uploadIdleMs: number;
  /** How long a visitor with `Expect: 100-continue` waits for the origin (RFC 9110 section 10.1.1). */
  readonly continueMs: number;
  /** How long a question waits for the first bytes of a body that is sampled. */
  readonly bodySampleMs: number;
  /** How long the gateway reads and discards the rest of an upload that was answered early. */
  readonly lingerMs: number;
  /** How long the gateway reads the rest of an answer of the origin that was held back. */
  readonly heldBackRestMs: number;
  /** Time limit for one answer of the in-process validator (contract 4.1 rule 1). */
  readonly askTimeoutMs: number;
  readonly originConnectMs: number;
  readonly originHeadersMs: number;
  readonly originBodyIdleMs: number;
  readonly originMaxHeaderBytes: number;
  /** Requests without a body that may be under way at one origin. The next request gets 503. */
  readonly originPlainRequests: number;
  /**
   * Requests with a body that may be under way at one origin. They are counted separately, so that slow uploads do not
   * delay other visitors.
   */
  readonly originUploads: number;
  /** Requests of one address (IPv4, or IPv6 /64) that may be under way at all origins, until their answers end. */
  readonly originRequestsPerAddress: number;
  /** Requests without a body are counted for their address only while at least this many others are under way. */
  readonly originRequestsUncounted: number;
  /** Requests of one address that may have an incomplete body at the same time. */
  readonly originUploadsPerAddress: number;
  /** How long an origin stays open after a reload has removed it, for requests that began before. */
  readonly originRetireMs: number;
  /**
   * WebSockets that may be open at the same time: of all visitors (`maxUpgrades`), and of one address (IPv4, or IPv6
   * /64).
   */
  readonly maxUpgrades: number;
  readonly maxUpgradesPerAddress: number;
  readonly collectorBodyBytes: number;
  readonly collectorBodyMs: number;
  /** Memory of all uploads below `/.guard/` together, in each worker. */
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
  unreadAnswers: 4_096,
  unreadAnswersPerAddress: 512,
  unreadAnswersMs: 5_000,
  maxHeaderBytes: 32 * 1024,
  maxHeaders: VALIDATE.maxHeaders,
  // Leaves room for `https://` and the longest host name in the URL that the validator is asked about.
  maxTargetLength: VALIDATE.maxUrlLength - 264,
  maxConnections: 16_384,
  maxConnectionsPerAddress: 4_096,
  maxUntrustedConnections: 16_384,
  maxPipelined: 16,
  uploadIdleMs: 30_000,
  continueMs: 1_000,
  bodySampleMs: 100,
  lingerMs: 30_000,
  heldBackRestMs: 5_000,
  askTimeoutMs: VALIDATE.budgetMs,
  originConnectMs: 5_000,
  originHeadersMs: 60_000,
  originBodyIdleMs: 300_000,
  originMaxHeaderBytes: 64 * 1024,
  originPlainRequests: 4_096,
  originUploads: 1_024,
  originRequestsPerAddress: 1_024,
  originRequestsUncounted: 256,
  originUploadsPerAddress: 128,
  originRetireMs: 120_000,
  maxUpgrades: 4_096,
  maxUpgradesPerAddress: 512,
  collectorBodyBytes: 64 * 1024,
  collectorBodyMs: 10_000,
  collectorBytes: 32 * 1024 * 1024,
  drainMs: 30_000,
};
