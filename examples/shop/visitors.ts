import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Product } from './products.ts';

/** Maximum number of visitors. Above this number a new visitor replaces the oldest one. */
const MAX_VISITORS = 1000;
const MAX_OF_ONE = 99;

export interface Visitor {
  readonly id: string;
  user: string | undefined;
  /** The quantities in the cart, by product id. */
  readonly cart: Map<string, number>;
}

/** The visitors with a cart or a login, by the cookie `shop_session`, in memory. */
export class Visitors {
  readonly #byId = new Map<string, Visitor>();

  find(request: IncomingMessage): Visitor | undefined {
    const id = /(?:^|;\s*)shop_session=([0-9a-f-]{36})/.exec(request.headers.cookie ?? '')?.[1];
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Creates a visitor with a new id. The cart of `former` moves to the new visitor. */
  create(former?: Visitor): Visitor {
    if (former !== undefined) this.#byId.delete(former.id);
    const visitor = { id: randomUUID(), user: undefined, cart: new Map(former?.cart) };
    this.#byId.set(visitor.id, visitor);
    const oldest = this.#byId.keys().next().value;
    if (this.#byId.size > MAX_VISITORS && oldest !== undefined) this.#byId.delete(oldest);
    return visitor;
  }
}

export function addToCart({ cart }: Visitor, { id }: Product): void {
  cart.set(id, Math.min((cart.get(id) ?? 0) + 1, MAX_OF_ONE));
}

export function countItems(visitor: Visitor | undefined): number {
  return [...(visitor?.cart.values() ?? [])].reduce((sum, quantity) => sum + quantity, 0);
}

export function sessionCookie({ id }: Visitor): string {
  return `shop_session=${id}; Path=/; HttpOnly; SameSite=Lax`;
}
