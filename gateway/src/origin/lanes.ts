import type { GatewayLimits } from '../base/limits.ts';
import type { Lane } from './origin.ts';

/** How many requests may be under way to one origin, lane by lane. */
export class Lanes {
  readonly #capacity: Readonly<Record<Lane, number>>;
  readonly #busy: Record<Lane, number> = { plain: 0, upload: 0, retry: 0 };

  constructor(limits: GatewayLimits) {
    this.#capacity = {
      plain: limits.originPlainRequests,
      upload: limits.originUploads,
      retry: limits.originPlainRequests,
    };
  }

  /** False when the lane is full. */
  take(lane: Lane): boolean {
    if (this.#busy[lane] >= this.#capacity[lane]) return false;
    this.#busy[lane]++;
    return true;
  }

  release(lane: Lane): void {
    this.#busy[lane]--;
  }
}
