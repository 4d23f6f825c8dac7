import type { Socket } from 'node:net';
import { addressGroup } from '@guard/config/net/network-of';

/** How many connections each address (IPv4, or /64) holds. One address must leave some to others. */
export class HeldByAddress {
  readonly #most: number;
  readonly #held = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False where the address holds as many as it may. What was taken is given back when the socket closes. */
  take(socket: Socket, ip: string): boolean {
    const group = addressGroup(ip);
    const held = this.#held.get(group) ?? 0;
    if (held >= this.#most) return false;
    this.#held.set(group, held + 1);
    socket.once('close', () => {
      const left = (this.#held.get(group) ?? 1) - 1;
      if (left > 0) this.#held.set(group, left);
      else this.#held.delete(group);
    });
    return true;
  }
}
