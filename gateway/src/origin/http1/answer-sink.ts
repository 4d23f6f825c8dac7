/** Receives the parts of an answer in their order. */
export interface AnswerSink {
  onInformational(status: number, fields: readonly string[]): void;
  onHead(status: number, reason: string, fields: readonly string[]): void;
  /** A part of the body: `chunk` from `from` to `to`. */
  onBody(chunk: Buffer, from: number, to: number, isLast: boolean): void;
  /**
   * `isReusable` says that another answer may follow on the connection. `keepsForS` is how many seconds the origin
   * promises to keep the connection open.
   */
  onComplete(trailers: readonly string[], isReusable: boolean, keepsForS: number | undefined): void;
  /** The reader reads no more bytes after this call. */
  onFault(fault: string): void;
}
