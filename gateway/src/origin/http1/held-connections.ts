import type { VisitorSocket } from '../../message/message.ts';
import type { Connection } from './connection.ts';

/**
 * Connections to an origin on which a visitor has signed in to the origin. NTLM and Negotiate (RFC 4559) sign in a
 * connection, so the origin treats each further request on it as the visitor's. Such a connection carries only requests
 * from one connection of the visitor, and ends together with it. For each connection of a visitor, at most one idle
 * connection to the origin is kept.
 */
export class HeldConnections {
  /** The visitors who signed in and have not left. */
  readonly #visitors = new WeakSet<VisitorSocket>();
  /** The idle connection of each of these visitors. The connection that has been idle longest comes first. */
  readonly #idle = new Map<VisitorSocket, Connection>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes the visitor's own connection, if it is idle. A connection that became idle before the tick `earliestIdleTick`
   * is closed, and the origin asks the visitor to sign in again.
   */
  take(visitor: VisitorSocket | undefined, earliestIdleTick: number): Connection | undefined {
    if (visitor === undefined || this.#idle.size === 0) return undefined;
    const connection = this.#idle.get(visitor);
    if (connection === undefined) return undefined;
    this.remove(connection);
    if (connection.idleSince >= earliestIdleTick) return connection;
    connection.destroy();
    return undefined;
  }

  /**
   * From now on no other visitor gets the connection. When `visitor` is undefined, the connection is not used again.
   */
  reserve(connection: Connection, visitor: VisitorSocket | undefined): void {
    if (visitor === undefined || visitor.destroyed) {
      connection.signedInVisitor = 'unusable';
      return;
    }
    connection.signedInVisitor = visitor;
    if (this.#visitors.has(visitor)) return;
    this.#visitors.add(visitor);
    visitor.once('close', () => {
      this.#visitors.delete(visitor);
      this.#idle.get(visitor)?.destroy();
    });
  }

  /**
   * Keeps an idle connection for its visitor. False when the visitor has left or already has an idle connection. When
   * there are too many, the connection that has been idle longest is closed. So one visitor with many sign-ins does not
   * keep other visitors from signing in.
   */
  put(connection: Connection): boolean {
    const { signedInVisitor } = connection;
    if (signedInVisitor === undefined || signedInVisitor === 'unusable') return false;
    if (!this.#visitors.has(signedInVisitor) || this.#idle.has(signedInVisitor)) return false;
    if (this.#idle.size >= this.#max) this.#idle.values().next().value?.destroy();
    this.#idle.set(signedInVisitor, connection);
    return true;
  }

  remove(connection: Connection): void {
    const { signedInVisitor } = connection;
    if (signedInVisitor === undefined || signedInVisitor === 'unusable') return;
    if (this.#idle.get(signedInVisitor) === connection) this.#idle.delete(signedInVisitor);
  }
}
