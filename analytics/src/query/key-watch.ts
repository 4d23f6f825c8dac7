import type { AuthenticateBearer } from '@guard/config/contract/ports';

interface WatchedQuery {
  readonly authorization: string;
  readonly organisation: string;
  readonly revocation: AbortController;
}

/**
 * Time between two checks of the keys. A reload also takes time. Together they end the queries of a revoked key within
 * a second.
 */
const LOOK_EVERY_MS = 500;

/** Ends the queries of a key when the key is revoked or has expired (contract 5). */
export class KeyWatch {
  readonly #authenticate: AuthenticateBearer;
  readonly #queries = new Set<WatchedQuery>();
  #timer: NodeJS.Timeout | undefined;

  constructor(authenticate: AuthenticateBearer) {
    this.#authenticate = authenticate;
  }

  /**
   * The signal `revoked` fires when the key is revoked or expired. Call `stopWatching` once when the query has ended.
   */
  watch(
    authorization: string,
    organisation: string,
  ): { readonly revoked: AbortSignal; readonly stopWatching: () => void } {
    const query = { authorization, organisation, revocation: new AbortController() };
    this.#queries.add(query);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return {
      revoked: query.revocation.signal,
      stopWatching: () => {
        this.#queries.delete(query);
        if (this.#queries.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #look(): void {
    for (const { authorization, organisation, revocation } of this.#queries) {
      if (this.#authenticate(authorization)?.organisation !== organisation) revocation.abort();
    }
  }
}
