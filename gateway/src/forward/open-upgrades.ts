import type { Socket } from 'node:net';
import { addressGroup } from '@guard/config/net/network-of';
import type { GatewayLimits } from '../limits.ts';

type Limits = Pick<GatewayLimits, 'maxUpgrades' | 'maxUpgradesPerAddress'>;

/** The upgrades that are under way or open, each with how it ends. */
export class OpenUpgrades {
  readonly #limits: Limits;
  readonly #ends = new Map<Socket, () => void>();
  readonly #ofAddress = new Map<string, number>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** False where no more may be open, at all or for this address. One address must leave some to others. */
  take(socket: Socket, ip: string): boolean {
    const group = addressGroup(ip);
    const held = this.#ofAddress.get(group) ?? 0;
    const { maxUpgrades, maxUpgradesPerAddress } = this.#limits;
    if (this.#ends.size >= maxUpgrades || held >= maxUpgradesPerAddress) return false;
    this.#ofAddress.set(group, held + 1);
    this.endBy(socket, () => socket.destroy());
    socket.once('close', () => {
      this.#ends.delete(socket);
      const left = (this.#ofAddress.get(group) ?? 1) - 1;
      if (left > 0) this.#ofAddress.set(group, left);
      else this.#ofAddress.delete(group);
    });
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
