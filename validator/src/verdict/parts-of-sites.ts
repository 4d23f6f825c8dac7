/** A session without parts of pages is a sign only when this many sessions, and this share of all, load parts. */
const LEAST_SESSIONS = 20;
const LEAST_SHARE = 0.8;

/** What was learnt fades: at this many sessions, half of them are forgotten. */
const MOST_SESSIONS = 400;

interface Learnt {
  sessions: number;
  withParts: number;
}

/**
 * How many sessions of a site load parts of pages, or data. Where they lie on another host, or where browsers keep
 * them, few do. Then it is no sign that a session loads none.
 */
export class PartsOfSites {
  /** By the name of the site: there are no more than the settings have. */
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

  /** False too where too few sessions came to know. */
  areUsual(site: string): boolean {
    const learnt = this.#sites.get(site);
    if (learnt === undefined || learnt.sessions < LEAST_SESSIONS) return false;
    return learnt.withParts >= LEAST_SHARE * learnt.sessions;
  }
}
