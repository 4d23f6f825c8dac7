import type { Session } from '@guard/config/contract/ports';

/**
 * A judged session with its expiry. Nearly every request reads the fields. They are in one object, because a second
 * object would often be missing in the processor's cache.
 */
export class KeptSession implements Session {
  readonly organisation: string;
  readonly state: Session['state'];
  readonly reasons: readonly string[];
  readonly userAgentHash: string;
  readonly network: string;
  readonly client: string;
  readonly judgedAt: number;
  readonly newest: string | undefined;
  readonly newestAt: number | undefined;
  readonly #expiresAt: number;

  /** `expiresAt` is in epoch milliseconds. */
  constructor(session: Session, expiresAt: number) {
    this.organisation = session.organisation;
    this.state = session.state;
    this.reasons = session.reasons;
    this.userAgentHash = session.userAgentHash;
    this.network = session.network;
    this.client = session.client;
    this.judgedAt = session.judgedAt;
    this.newest = session.newest;
    this.newestAt = session.newestAt;
    this.#expiresAt = expiresAt;
  }

  get expiresAt(): number {
    return this.#expiresAt;
  }

  isAlive(nowMs: number): boolean {
    return nowMs <= this.#expiresAt;
  }
}
