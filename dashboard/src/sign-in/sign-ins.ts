import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import { LRUCache } from 'lru-cache';

/** The duration of a sign-in. */
export const SIGN_IN_MS = 12 * 60 * 60_000;
/**
 * Maximum number of sign-ins. Each takes some 500 bytes. Above this number, the organisation with the most sign-ins
 * loses its least recently used one, so that no organisation can end the sign-ins of another.
 */
const MAX_SIGN_INS = 1_000;
const LINK_MS = 10 * 60_000;
const MAX_LINKS = 100;

export type SignInHolder =
  /** `authorization` is checked for each request, so that a revoked key ends its sign-ins. */
  | {
      readonly via: 'key';
      readonly organisation: string;
      readonly key: string;
      readonly authorization: string;
    }
  | { readonly via: 'link'; readonly organisation: string }
  /**
   * For each request, Guard looks up the organisation of the group again, so that a changed mapping ends the sign-in.
   */
  | { readonly via: 'oidc'; readonly organisation: string; readonly group: string };

interface SignIn {
  readonly signedIn: SignInHolder;
  /** The end of the sign-in, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Keeps sign-ins to the dashboard, and links that can sign in once. They are in memory, so a restart ends them.
 * Sign-ins and links are stored by the SHA-256 of their token, so that neither memory nor timing reveals a token.
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

  /** Starts a sign-in and returns its token, 43 characters of Base64url. */
  begin(signedIn: SignInHolder): string {
    const token = newToken();
    if (this.#signIns.size >= MAX_SIGN_INS) this.#endOldestOfLargest();
    this.#signIns.set(digestOf(token), { signedIn, expiresAt: this.#clock() + SIGN_IN_MS });
    return token;
  }

  #endOldestOfLargest(): void {
    const digestsByOrganisation = new Map<string, string[]>();
    this.#signIns.rforEach(({ signedIn }, token) => {
      const digests = digestsByOrganisation.get(signedIn.organisation) ?? [];
      digests.push(token);
      digestsByOrganisation.set(signedIn.organisation, digests);
    });
    const [longestList = []] = [...digestsByOrganisation.values()].toSorted(
      (a, b) => b.length - a.length,
    );
    // The least recently used sign-in is the first entry.
    this.#signIns.delete(longestList[0] ?? '');
  }

  find(token: string): SignIn | undefined {
    return this.#signIns.get(digestOf(token));
  }

  end(token: string): void {
    this.#signIns.delete(digestOf(token));
  }

  /** Returns the token of a new link. It signs in to one organisation, once and within ten minutes. */
  createLink(organisation: string): string {
    const token = newToken();
    this.#links.set(digestOf(token), organisation);
    return token;
  }

  /** Uses up a link and returns its organisation. Undefined for an unknown, expired or used link. */
  takeLink(token: string): string | undefined {
    const digest = digestOf(token);
    const organisation = this.#links.get(digest);
    this.#links.delete(digest);
    return organisation;
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
