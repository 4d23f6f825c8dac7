/** The addresses of a peer, without a scheme. */
export interface Places {
  readonly port: number;
  readonly origin: string;
  /** The service that is asked about each request. Undefined for a plain proxy. */
  readonly decisionServer: string | undefined;
  readonly folder: string;
  /** Undefined for a proxy without TLS. */
  readonly tls: TlsFiles | undefined;
}

/** The paths of the PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** The path of a file with certificate and key, for HAProxy. */
  readonly pair: string;
}
