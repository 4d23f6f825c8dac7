/** Addresses without a scheme. */
export interface Places {
  readonly port: number;
  readonly origin: string;
  /** Who is asked about each request; undefined for a plain proxy. */
  readonly decider: string | undefined;
  readonly folder: string;
  /** Undefined for a proxy that speaks http. */
  readonly tls: TlsFiles | undefined;
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Both in one file, as HAProxy reads them. */
  readonly pair: string;
}
