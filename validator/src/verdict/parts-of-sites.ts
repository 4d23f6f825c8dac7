/** Loading no parts is a sign only when so many sessions are known, and this share of them load parts. */
const LEAST_SESSIONS = 20;
const LEAST_SHARE = 0.8;

/** At this many sessions the counts are halved, so that old sessions count less. */
const MOST_SESSIONS = 400;

interface Learnt {
  sessions: number;
  withParts: number;
}

/**
 * Counts how many sessions of a site load parts of pages, or data. When the parts are on another host, or in the
 * cache of browsers, few sessions load them. Then it is no sign that a session loads none.
 */
export class PartsOfSites {
  /** By the name of the site. Their number is bounded by the settings. */
  readonly #sites = new Map<string, Learnt>();

  learn(site: string, hasParts: boolean): void {
    let learnt = this.#sites.get(site);
    if (learnt === undefined) this.#sites.set(site, (learnt = { sessions: 0, withParts: 0 }));
    if (learnt.sessions >= MOST_SESSIONS) {
      learnt.sessions /= 2;
      learnt.withParts /= 2;
    }
    learnt.sessions += 1;
    if (hasParts) learnt.withParts += 1;
  }

  /** Whether most sessions load parts. Also false when too few sessions are known. */
  areUsual(site: string): boolean {
    const learnt = this.#sites.get(site);
    if (learnt === undefined || learnt.sessions < LEAST_SESSIONS) return false;
    return learnt.withParts >= LEAST_SHARE * learnt.sessions;
  }
}
