import { sessionRoot } from '@guard/config/contract/session-root';
import type { Clock, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { addressGroup, networkOf } from '@guard/config/net/network-of';
import { trapPaths } from '@guard/config/settings/sections/trap-paths';
import type { Organisation } from '@guard/config/settings/schema';
import { afterWith } from '../session/after-with.ts';
import type { Facts } from '../request/facts.ts';
import { isFileOfPage, isPage } from '../request/representation.ts';
import { compileMatch, type Condition } from '../rules/compile-match.ts';
import { endSession } from '../session/end-session.ts';

/**
 * How long a hit is remembered for an address. The time is short, because many people can share an address, and because
 * each new hit starts the time again.
 */
const ADDRESS_REMEMBERED_MS = 10 * 60_000;
const SESSION_REMEMBERED_MS = 60 * 60_000;

/**
 * A hit does not end a pass that is younger than this. After a pass, the browser loads the challenged page again. When
 * this page is itself a trap, it would be challenged without end.
 */
const YOUNG_MS = 10 * 60_000;

/** How long a session has to wait after it has followed the link a second time. */
export const HIT_AGAIN_WAIT_MS = 10 * 60_000;

/** Prefix of the names under which the store remembers hits (SessionStore.remember). */
export const TRAP_PREFIX = 'trapped';

/**
 * What Guard remembers about a visitor without a pass: nothing, a hit, or a second visit of the link by one session.
 */
export type Standing = 'free' | 'hit' | 'hit_again';

/**
 * Traps: paths that no site serves, and a link on Guard's own pages that no browser shows (challenge/trap-link.ts).
 * Only programs ask for them. Guard challenges a client that asks for them, and remembers the hit for its address and
 * its session.
 *
 * A page of another site, or a link in a mail, can make a visitor's browser ask for such a path. So the hit of a path
 * is remembered only when no page can have caused the request. For a browser it is remembered only for the session, so
 * it costs a person at most a challenge.
 */
export class Traps {
  /** Whether Guard's own pages have the link. */
  readonly hasLink: boolean;
  readonly #trappedName: string;
  readonly #trappedAgain: string;
  readonly #isTrap: Condition | undefined;

  /** Undefined when the organisation has no traps. */
  static of({ id, traps }: Pick<Organisation, 'id' | 'traps'>): Traps | undefined {
    const isEmpty = !traps.link && trapPaths(traps).length === 0;
    return isEmpty ? undefined : new Traps(id, traps);
  }

  constructor(organisation: string, settings: Organisation['traps']) {
    this.hasLink = settings.link;
    this.#trappedName = `${TRAP_PREFIX}:${organisation}`;
    this.#trappedAgain = `${TRAP_PREFIX}-again:${organisation}`;
    const path = trapPaths(settings);
    this.#isTrap = path.length === 0 ? undefined : compileMatch({ path: [...path] }, 'some');
  }

  /** Whether a request hits a trap. A client with a proved identity never hits one. */
  isHit(facts: Facts): boolean {
    if (this.#isTrap?.(facts, NO_FINDINGS) !== true) return false;
    return !isProved(facts) && facts.method !== 'OPTIONS';
  }

  /** Handles a hit, and remembers it when no page can have caused it. True when the visitor has to be challenged. */
  spring(facts: Facts, store: SessionStore, clock: Clock): boolean {
    const { session, ip } = facts;
    const isOwn = isOwnDoing(facts);
    switch (session.state) {
      case 'rejected':
        return false;
      case 'verified':
        if (!isOwn || clock() - session.session.judgedAt < YOUNG_MS) return false;
        endSession(session.id, session.session, store);
        this.#rememberSession(session.id, store);
        break;
      case 'issued':
        if (isOwn) this.#rememberSession(session.id, store);
        break;
      case 'none':
    }
    if (isOwn && !saysNoPage(facts)) this.#rememberAddress(ip, store);
    return true;
  }

  /**
   * Remembers that the visitor followed the link. Ends the pass of `session`, the session for which the link was made, if
   * the pass was made in the visitor's network. Rejects only when the store rejects.
   */
  async springLink(ip: string, session: string | undefined, store: SessionStore): Promise<void> {
    this.#rememberAddress(ip, store);
    if (session === undefined) return;
    const root = sessionRoot(session);
    const isAgain = await store.remembers(this.#trappedName, root);
    await store.remember(this.#trappedName, root, SESSION_REMEMBERED_MS);
    if (isAgain) await store.remember(this.#trappedAgain, inNetwork(root, ip), HIT_AGAIN_WAIT_MS);
    const storedSession = await store.session(session);
    // Another site could have set the cookie in a visitor's browser before the visitor passed.
    const isPass = storedSession?.state === 'verified' && storedSession.network === networkOf(ip);
    if (isPass) endSession(session, storedSession, store);
  }

  /**
   * What Guard remembers about a visitor without a pass. Parts of pages are always free, because other sites and mails
   * show them.
   */
  standing(facts: Facts, store: SessionStore): MaybePromise<Standing> {
    if (isFileOfPage(facts) || isProved(facts)) return 'free';
    const id = facts.session.state === 'issued' ? sessionRoot(facts.session.id) : undefined;
    // At a shared address, an open page of another visitor must still be able to load its data.
    const isAddressHit =
      (id === undefined || isPage(facts)) &&
      store.remembers(this.#trappedName, addressGroup(facts.ip));
    if (id === undefined) return afterWith(isAddressHit, undefined, standingOf);
    return afterWith(
      store.remembers(this.#trappedName, id),
      { byAddress: isAddressHit, again: inNetwork(id, facts.ip), store },
      this.#standingOfSession,
    );
  }

  readonly #standingOfSession = (
    isHit: boolean,
    hit: {
      readonly byAddress: MaybePromise<boolean>;
      readonly again: string;
      readonly store: SessionStore;
    },
  ): MaybePromise<Standing> => {
    if (!isHit) return afterWith(hit.byAddress, undefined, standingOf);
    const isAgain = hit.store.remembers(this.#trappedAgain, hit.again);
    return afterWith(isAgain, undefined, (again) => (again ? 'hit_again' : 'hit'));
  };

  #rememberSession(id: string, store: SessionStore): void {
    void store.remember(this.#trappedName, sessionRoot(id), SESSION_REMEMBERED_MS);
  }

  #rememberAddress(ip: string, store: SessionStore): void {
    void store.remember(this.#trappedName, addressGroup(ip), ADDRESS_REMEMBERED_MS);
  }
}

const NO_FINDINGS = { all: () => [] };

/** Whether the client is a crawler with a proved claim, or an agent with a valid signature. */
function isProved({ crawler, signedAgent }: Facts): boolean {
  return crawler?.verified === true || signedAgent !== undefined;
}

/** A second hit counts only in its network, because another site could set the cookie in a visitor's browser. */
function inNetwork(root: string, ip: string): string {
  return `${root} ${networkOf(ip)}`;
}

function standingOf(isHit: boolean): Standing {
  return isHit ? 'hit' : 'free';
}

/**
 * Whether a browser sends Sec-Fetch-Site with `none`: no page caused the request. A browser also sends this after a
 * link in a mail, a chat or a QR code, even when the link led to another site that redirects here. One such link must
 * not cause challenges for all visitors of a shared address.
 */
function saysNoPage({ headers, agent }: Facts): boolean {
  return agent.recognised && headers['sec-fetch-site'] === 'none';
}

/**
 * Whether no page can have caused a request. A browser shows this by its headers when its user typed the address, or
 * opened it from a bookmark or another program. False for most clients that claim to be a browser but send no fetch
 * metadata, because they can be a browser over plain http, or an old browser.
 */
function isOwnDoing({ headers, referrer, agent, url }: Facts): boolean {
  const site = headers['sec-fetch-site'];
  const dest = headers['sec-fetch-dest'];
  if (referrer !== '' || headers['origin'] !== undefined) return false;
  if (headers['sec-purpose'] !== undefined || headers['purpose'] !== undefined) return false;
  if (site !== undefined || dest !== undefined) return site === 'none' && dest === 'document';
  if (!agent.recognised) return true;
  // A browser that always sends fetch metadata over https did not send this request. `isComplete` excludes callers that
  // pass on few header fields.
  const isComplete = headers['accept'] !== undefined && headers['accept-language'] !== undefined;
  return agent.fetchMetadata === 'always' && url.scheme === 'https' && isComplete;
}
