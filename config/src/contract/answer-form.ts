/** The form of the answer to a query, in parameters of ClickHouse's HTTP interface. None of them changes a row. */
export interface AnswerForm {
  /** The format for a statement without a FORMAT clause. The default is `TabSeparated`. */
  readonly default_format?: string;
  /** Rows are sent in LZ4 frames. Errors are always plain text. */
  readonly compress?: '1';
  /** The revision of `Native` that the caller reads, in digits. */
  readonly client_protocol_version?: string;
}
