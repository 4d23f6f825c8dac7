import { sessionDigest } from '@guard/config/contract/session-digest';
import type { Match, Rule } from '@guard/config/settings/sections/rule';
import type { Settings } from '@guard/config/settings/schema';
import { createSealer, createSessionIds } from '@guard/validator';

/** The sessions that the rules of the settings name by their digests. */
export function sessionsNamedIn(all: readonly Settings[]): ReadonlySet<string> {
  const rules = all.flatMap(({ organisations }) => organisations.flatMap((one) => one.rules));
  return new Set(rules.flatMap(({ match }) => namedIn(match)));
}

/**
 * Sessions of a log. It has their digests, from which no id can be made. A session that a rule names gets
 * a new id of this installation, so that the validator takes it for an issued one, and the rule is made to name that id.
 * Any other session gets the digits of its digest as its id, which counts where the store has it.
 */
export class NamedSessions {
  readonly #named: ReadonlySet<string>;
  readonly #ids: ReturnType<typeof createSessionIds>;
  readonly #minted = new Map<string, string>();

  constructor(named: ReadonlySet<string>, secrets: readonly string[]) {
    this.#named = named;
    this.#ids = createSessionIds(createSealer(secrets, 'session'));
  }

  /** The id for a digest that a rule names. Undefined for any other digest. */
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

  /** The rules of an organisation, with the new ids instead of the digests. */
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
  const further = not === undefined ? [...any, ...all] : [...any, ...all, not];
  return [...(Array.isArray(session) ? session : []), ...further.flatMap(namedIn)];
}
