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
