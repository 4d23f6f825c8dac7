import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

/** How long a session lasts. */
export const SIGN_IN_MS = 12 * 60 * 60_000;
/** Each takes some 500 bytes. The one that was not used for longest makes room. */
const MAX_SIGN_INS = 1_000;
const LINK_MS = 10 * 60_000;
const MAX_LINKS = 100;

/** Who has signed in, and how. */
export type SignedIn =
  /** `authorization` is asked again for each request, so that a revoked key ends its sign-ins. */
  | {
      readonly via: 'key';
      readonly organisation: string;
      readonly key: string;
      readonly authorization: string;
    }
  | { readonly via: 'link'; readonly organisation: string }
  /** The group of the user is asked for again, so that a changed mapping ends the sign-in. */
  | { readonly via: 'oidc'; readonly organisation: string; readonly group: string };

export interface SignIn {
  readonly who: SignedIn;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Sign-ins to the dashboard and links that sign in once, in memory: a restart ends them. Both are held by the
 * SHA-256 of their token, so that memory and timing tell no token.
 */
export class SignIns {
  readonly #clock: Clock;
  readonly #signIns: LRUCache<string, SignIn>;
  readonly #links: LRUCache<string, string>;

  constructor(clock: Clock) {
    this.#clock = clock;
    const perf = { now: clock };
    this.#signIns = new LRUCache({ max: MAX_SIGN_INS, ttl: SIGN_IN_MS, ttlResolution: 0, perf });
    this.#links = new LRUCache({ max: MAX_LINKS, ttl: LINK_MS, ttlResolution: 0, perf });
  }

  /** Begins a sign-in and returns its token, 43 characters of Base64url. */
  begin(who: SignedIn): string {
    const token = newToken();
    this.#signIns.set(digestOf(token), { who, expiresAt: this.#clock() + SIGN_IN_MS });
    return token;
  }

  find(token: string): SignIn | undefined {
    return this.#signIns.get(digestOf(token));
  }

  end(token: string): void {
    this.#signIns.delete(digestOf(token));
  }

  /** A token that signs in to one organisation, once and within ten minutes. */
  createLink(organisation: string): string {
    const token = newToken();
    this.#links.set(digestOf(token), organisation);
    return token;
  }

  /** The organisation of a link, which is used up by that; undefined for an unknown or a used one. */
  takeLink(token: string): string | undefined {
    const name = digestOf(token);
    const organisation = this.#links.get(name);
    this.#links.delete(name);
    return organisation;
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
