/** Bounds of the client that no setting changes. */
export const HTTP1_LIMITS = {
  /** Fields of one header section, and of one trailer section. `originMaxHeaderBytes` is the limit for their bytes. */
  maxFields: 1_024,
  /** Interim answers before the final one. */
  maxInterim: 32,
  /** The bytes of one chunk-size line, and of all chunk extensions of one answer. */
  maxChunkLineBytes: 4 * 1024,
  maxChunkExtensionBytes: 16 * 1024,
  /** How many idle connections are kept. */
  maxIdle: 1_024,
  /** How long an idle connection is kept. `Keep-Alive: timeout` replaces it, up to `maxHintedIdleMs`. */
  idleMs: 4_000,
  maxHintedIdleMs: 60_000,
  /** Subtracted from the time that the origin promises, because the origin began to count earlier. */
  hintMarginMs: 1_000,
  /** A request that must not be sent twice uses only a connection that was idle for less than this time. */
  freshMs: 1_000,
  /** The time between two checks of the deadlines. A deadline can end later by at most this time, and never earlier. */
  sweepMs: 500,
} as const;
