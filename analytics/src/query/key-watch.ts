import type { AuthenticateBearer } from '@guard/config/contract/ports';

interface Watched {
  readonly authorization: string;
  readonly organisation: string;
  readonly revoked: AbortController;
}

/** Time between two checks of the keys. With the time of a reload, a query ends within a second after its key. */
const LOOK_EVERY_MS = 500;

/** Ends the queries of a key when the key is revoked or has expired (contract 5). */
export class KeyWatch {
  readonly #authenticate: AuthenticateBearer;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(authenticate: AuthenticateBearer) {
    this.#authenticate = authenticate;
  }

  /** `revoked` fires when the key is revoked or expired. Call `done` once when the query has ended. */
  watch(
    authorization: string,
    organisation: string,
  ): { readonly revoked: AbortSignal; readonly done: () => void } {
    const watched = { authorization, organisation, revoked: new AbortController() };
    this.#watched.add(watched);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return {
      revoked: watched.revoked.signal,
      done: () => {
        this.#watched.delete(watched);
        if (this.#watched.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #look(): void {
    for (const { authorization, organisation, revoked } of this.#watched) {
      if (this.#authenticate(authorization)?.organisation !== organisation) revoked.abort();
    }
  }
}
