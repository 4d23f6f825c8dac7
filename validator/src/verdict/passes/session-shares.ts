/** At this many sessions the counts of a site are halved, so that old sessions have less weight. */
const MAX_SESSIONS = 400;

interface SessionCounts {
  sessions: number;
  matching: number;
}

/** Learns the share of the sessions of each site that match a condition, for example that load parts of pages. */
export class SessionShares {
  /** The counts of each site of the settings. */
  readonly #sites = new Map<string, SessionCounts>();

  countSession(site: string): void {
    const counts = this.#countsOf(site);
    if (counts.sessions >= MAX_SESSIONS) {
      counts.sessions /= 2;
      counts.matching /= 2;
    }
    counts.sessions += 1;
  }

  /** Counts a session that matches the condition. Call it at most once for a session. */
  countMatching(site: string): void {
    this.#countsOf(site).matching += 1;
  }

  /** The share of matching sessions of a site, from 0 to 1. Undefined while fewer than `least` sessions are known. */
  shareOf(site: string, least: number): number | undefined {
    const counts = this.#sites.get(site);
    return counts === undefined || counts.sessions < least
      ? undefined
      : counts.matching / counts.sessions;
  }

  #countsOf(site: string): SessionCounts {
    let counts = this.#sites.get(site);
    if (counts === undefined) this.#sites.set(site, (counts = { sessions: 0, matching: 0 }));
    return counts;
  }
}
