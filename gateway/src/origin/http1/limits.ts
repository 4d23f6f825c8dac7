/** Bounds of the client that no setting changes. Milliseconds, bytes and counts, as the names say. */
export const HTTP1_LIMITS = {
  /** Fields of one header section, and of one trailer section. Their bytes: `originMaxHeaderBytes`. */
  maxFields: 1_024,
  /** Interim answers before the final one. */
  maxInterim: 32,
  /** One chunk-size line with its extensions, and all extensions of one answer. */
  maxChunkLineBytes: 4 * 1024,
  maxChunkExtensionBytes: 16 * 1024,
  /** Connections that are kept without a request. */
  maxIdle: 1_024,
  /** How long one is kept; less, or at most `maxHintedIdleMs`, where the origin says Keep-Alive: timeout. */
  idleMs: 4_000,
  maxHintedIdleMs: 60_000,
  /** Taken off what the origin promises: its clock began before ours. */
  hintMarginMs: 1_000,
  /** What must not be sent twice is not sent on a connection that was idle for longer. */
  freshMs: 1_000,
  /** How often deadlines are looked at. They are kept to that precision, and never come early. */
  sweepMs: 500,
} as const;
