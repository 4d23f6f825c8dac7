/**
 * The facts about a visitor's program that the connection shows before the first request. They are known only when the
 * gateway itself decrypts TLS, and so never for `POST /validate` and never behind another proxy.
 */
export interface TransportFacts {
  /** The ClientHello. Undefined when it could not be parsed. */
  readonly hello: ClientHello | undefined;
  /** The opening of HTTP/2. Undefined over HTTP/1.1. */
  readonly http2: Http2Opening | undefined;
}

/**
 * The ClientHello of a TLS handshake (RFC 8446 section 4.1.2). Lists have the order in which they were sent, without
 * GREASE (RFC 8701).
 */
export interface ClientHello {
  /** The JA4 fingerprint of TLS clients. */
  readonly ja4: string;
  /** True when there were GREASE values both among the cipher suites and among the extensions. */
  readonly greased: boolean;
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
}

/** How a client opened HTTP/2 (RFC 9113 section 3.4). */
export interface Http2Opening {
  /**
   * `settings|window update|priority frames|pseudo-header order`, such as
   * `1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p`. A part that Guard did not see is `?`.
   */
  readonly fingerprint: string;
  /** The value for each identifier, in the order of the first SETTINGS frame. */
  readonly settings: ReadonlyMap<number, number>;
  /** Initials of the pseudo-header fields of the first request, in their order: `m,a,s,p`. */
  readonly pseudoHeaders: string;
}
