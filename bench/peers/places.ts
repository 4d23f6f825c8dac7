/** Addresses without a scheme. */
export interface Places {
  readonly port: number;
  readonly origin: string;
  /** Who is asked about each request; undefined for a plain proxy. */
  readonly decider: string | undefined;
  readonly folder: string;
}
