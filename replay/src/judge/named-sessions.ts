import { sessionDigest } from '@guard/config/contract/session-digest';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Settings } from '@guard/config/settings/schema';
import { createSealer, createSessionIds } from '@guard/validator';

/** Returns the digests of all sessions that rules of the settings name. */
export function sessionsNamedIn(allSettings: readonly Settings[]): ReadonlySet<string> {
  const organisations = allSettings.flatMap((settings) => settings.organisations);
  const rules = organisations.flatMap((organisation) => organisation.rules);
  return new Set(rules.flatMap(({ match }) => digestsIn(match)));
}

/**
 * Gives ids to the sessions of a log. The log has only digests, and no id can be computed from a digest. A session that
 * a rule names gets a new valid id of this installation, and the rule is changed to name this id. Any other session
 * gets an id from the digits of its digest. The validator accepts this id only if the store has it.
 */
export class NamedSessions {
  readonly #namedDigests: ReadonlySet<string>;
  readonly #ids: ReturnType<typeof createSessionIds>;
  readonly #mintedIds = new Map<string, string>();

  constructor(namedDigests: ReadonlySet<string>, secrets: readonly string[]) {
    this.#namedDigests = namedDigests;
    this.#ids = createSessionIds(createSealer(secrets, 'session'));
  }

  namedDigest(digest: string | undefined): string | undefined {
    return digest !== undefined && this.#namedDigests.has(digest) ? digest : undefined;
  }

  idOf(organisation: string, digest: string): string {
    if (!this.#namedDigests.has(digest))
      return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const key = `${organisation} ${digest}`;
    const id = this.#mintedIds.get(key) ?? this.#ids.mint(organisation);
    this.#mintedIds.set(key, id);
    return id;
  }

  /** Returns the rules of an organisation, with the new ids in place of the digests. */
  withMintedIds(organisation: string, rules: readonly Rule[]): Rule[] {
    const withIdsInMatch = (match: Match): Match => ({
      ...match,
      session: Array.isArray(match.session)
        ? match.session.map((digest) => sessionDigest(this.idOf(organisation, digest)))
        : match.session,
      any: match.any?.map(withIdsInMatch),
      all: match.all?.map(withIdsInMatch),
      not: match.not && withIdsInMatch(match.not),
    });
    return rules.map((rule) => ({ ...rule, match: withIdsInMatch(rule.match) }));
  }
}

function digestsIn({ session, any = [], all = [], not }: Match): readonly string[] {
  const nestedMatches = not === undefined ? [...any, ...all] : [...any, ...all, not];
  return [...(Array.isArray(session) ? session : []), ...nestedMatches.flatMap(digestsIn)];
}
