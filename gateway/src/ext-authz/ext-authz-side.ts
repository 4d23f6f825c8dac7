import type { ListenAddress } from '@guard/config/settings/values/values';
import type { AcceptOptions } from '../listen/accept.ts';
import type { ExtAuthz } from './ext-authz.ts';
import type { ExtAuthzServer } from './server.ts';

/** The side of a gateway that Envoy asks over gRPC. The library for gRPC is loaded when this side begins to listen. */
export class ExtAuthzSide {
  readonly #current: () => ExtAuthz;
  readonly #accept: AcceptOptions;
  #server: ExtAuthzServer | undefined;

  /** `current` returns the object that answers with the current settings. */
  constructor(current: () => ExtAuthz, accept: AcceptOptions) {
    this.#current = current;
    this.#accept = accept;
  }

  /** Call it at most once. */
  async listen(address: ListenAddress): Promise<string> {
    const { ExtAuthzServer } = await import('./server.ts');
    this.#server = new ExtAuthzServer(this.#current, this.#accept);
    return this.#server.listen(address);
  }

  /**
   * Stops the server. Resolves when the questions under way are answered. After `drainMs` it ends the questions that
   * are left.
   */
  async close(drainMs: number): Promise<void> {
    await this.#server?.close(drainMs);
  }
}
