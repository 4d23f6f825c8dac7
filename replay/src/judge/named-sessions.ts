import { sessionDigest } from '@guard/config/contract/session-digest';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Settings } from '@guard/config/settings/schema';
import { createSealer, createSessionIds } from '@guard/validator';

/** The digests of all sessions that rules of the settings name. */
export function sessionsNamedIn(all: readonly Settings[]): ReadonlySet<string> {
  const rules = all.flatMap(({ organisations }) => organisations.flatMap((one) => one.rules));
  return new Set(rules.flatMap(({ match }) => namedIn(match)));
}

/**
 * Gives ids to the sessions of a log. The log has only digests, and no id can be computed from a digest. A session that
 * a rule names gets a new valid id of this installation, and the rule is changed to name this id. Any other session
 * gets an id made from the digits of its digest: the validator accepts it only if the store has it.
 */
export class NamedSessions {
  readonly #named: ReadonlySet<string>;
  readonly #ids: ReturnType<typeof createSessionIds>;
  readonly #minted = new Map<string, string>();

  constructor(named: ReadonlySet<string>, secrets: readonly string[]) {
    this.#named = named;
    this.#ids = createSessionIds(createSealer(secrets, 'session'));
  }

  /** Returns the digest if a rule names it, else undefined. */
  named(digest: string | undefined): string | undefined {
    return digest !== undefined && this.#named.has(digest) ? digest : undefined;
  }

  idOf(organisation: string, digest: string): string {
    if (!this.#named.has(digest))
      return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const key = `${organisation} ${digest}`;
    const id = this.#minted.get(key) ?? this.#ids.mint(organisation);
    this.#minted.set(key, id);
    return id;
  }

  /** The rules of an organisation, with the new ids in place of the digests. */
  inRules(organisation: string, rules: readonly Rule[]): Rule[] {
    const inMatch = (match: Match): Match => ({
      ...match,
      session: Array.isArray(match.session)
        ? match.session.map((digest) => sessionDigest(this.idOf(organisation, digest)))
        : match.session,
      any: match.any?.map(inMatch),
      all: match.all?.map(inMatch),
      not: match.not && inMatch(match.not),
    });
    return rules.map((rule) => ({ ...rule, match: inMatch(rule.match) }));
  }
}

function namedIn({ session, any = [], all = [], not }: Match): readonly string[] {
  const nested = not === undefined ? [...any, ...all] : [...any, ...all, not];
  return [...(Array.isArray(session) ? session : []), ...nested.flatMap(namedIn)];
}
