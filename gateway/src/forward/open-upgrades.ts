import type { Socket } from 'node:net';
import type { GatewayLimits } from '../base/limits.ts';
import { HeldByAddress } from '../listen/held-by-address.ts';

type Limits = Pick<GatewayLimits, 'maxUpgrades' | 'maxUpgradesPerAddress'>;

/** The upgrades that are under way or open, each with how it ends. */
export class OpenUpgrades {
  readonly #limits: Limits;
  readonly #ends = new Map<Socket, () => void>();
  readonly #ofAddress: HeldByAddress;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#ofAddress = new HeldByAddress(limits.maxUpgradesPerAddress);
  }

  /** False where no more may be open, at all or for this address. */
  take(socket: Socket, ip: string): boolean {
    if (this.#ends.size >= this.#limits.maxUpgrades || !this.#ofAddress.take(socket, ip))
      return false;
    this.endBy(socket, () => socket.destroy());
    socket.once('close', () => this.#ends.delete(socket));
    return true;
  }

  endBy(socket: Socket, end: () => void): void {
    this.#ends.set(socket, end);
  }

  /** Ends them, and cuts what is left when called again. */
  close(): void {
    for (const [socket, end] of this.#ends) {
      this.endBy(socket, () => socket.destroy());
      end();
    }
  }
}
