/** The answer of `GET /api/health`: the state of Guard itself. */
export interface Health {
  readonly ready: boolean;
  /** Null when the settings name no database. */
  readonly database: {
    readonly state: 'ready' | 'away' | 'failing' | 'missing';
    readonly message?: string;
    readonly deletion?: 'held';
  } | null;
  readonly store: 'memory' | 'redis';
  /** The time in ISO 8601. */
  readonly startedAt: string;
  /** Counters and gauges, by their names in `/metrics`. Empty when several organisations share this Guard. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly certificates: readonly {
    readonly hosts: readonly string[];
    /** The time in ISO 8601. */
    readonly expiresAt: string;
  }[];
  /** Null for the bundled lists. */
  readonly crawlerListAgeSeconds: number | null;
  /** The lists of networks and the databases of countries and autonomous systems, each with its age. */
  readonly networkDataAgeSeconds: Readonly<Record<'lists' | 'country' | 'asn', number>>;
}
