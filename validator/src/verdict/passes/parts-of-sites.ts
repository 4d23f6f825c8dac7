/**
 * A session without parts is suspicious only when at least this many sessions are known, and at least this share of
 * them loads parts.
 */
const LEAST_SESSIONS = 20;
const LEAST_SHARE = 0.8;

/** At this many sessions the counts are halved, so that old sessions have less weight. */
const MAX_SESSIONS = 400;

interface SessionCounts {
  sessions: number;
  withParts: number;
}

/**
 * Counts how many sessions of a site load parts of pages, or data. When the parts are on another host or in the
 * browser's cache, few sessions load them. Then a session without parts is not suspicious.
 */
export class PartsOfSites {
  /** The counts of each site of the settings. */
  readonly #sites = new Map<string, SessionCounts>();

  learn(site: string, hasParts: boolean): void {
    let counts = this.#sites.get(site);
    if (counts === undefined) this.#sites.set(site, (counts = { sessions: 0, withParts: 0 }));
    if (counts.sessions >= MAX_SESSIONS) {
      counts.sessions /= 2;
      counts.withParts /= 2;
    }
    counts.sessions += 1;
    if (hasParts) counts.withParts += 1;
  }

  /** Whether most sessions of the site load parts. False while too few sessions are known. */
  areLoadedByMost(site: string): boolean {
    const counts = this.#sites.get(site);
    if (counts === undefined || counts.sessions < LEAST_SESSIONS) return false;
    return counts.withParts >= LEAST_SHARE * counts.sessions;
  }
}
