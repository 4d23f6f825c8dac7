/** The form in which a query is answered, in parameters of ClickHouse's HTTP interface. None of them changes a row. */
export interface AnswerForm {
  /** For a statement without a FORMAT clause: a format that such a clause may name. `TabSeparated` where it is absent. */
  readonly default_format?: string;
  /** Rows come in frames of LZ4. Errors are plain text all the same. */
  readonly compress?: '1';
  /** Which revision of `Native` the caller reads, in digits. */
  readonly client_protocol_version?: string;
}
