/** Who asks the data server. */
export interface DataCaller {
  readonly organisation: string;
  /** The header that let the caller in; it is asked about again while a query runs. */
  readonly authorization: string | undefined;
}
