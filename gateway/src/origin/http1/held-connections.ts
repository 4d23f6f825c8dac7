import type { VisitorSocket } from '../../message/message.ts';
import type { Connection } from './connection.ts';

/**
 * Connections to an origin that a visitor has signed in. NTLM and Negotiate (RFC 4559) sign in a connection, so each
 * further request on it is the visitor's. Such a connection carries only requests of the visitor's own connection, and
 * ends with it. A visitor's connection holds at most one idle connection.
 */
export class HeldConnections {
  /** The idle connection of each visitor who signed in. Undefined while it carries a request. */
  readonly #idle = new Map<VisitorSocket, Connection | undefined>();
  readonly #max: number;
  #idleCount = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes the visitor's own connection, when it is idle. A connection that became idle before the tick `minIdleTick` is
   * closed, and the origin asks the visitor to sign in again.
   */
  take(visitor: VisitorSocket | undefined, minIdleTick: number): Connection | undefined {
    if (visitor === undefined || this.#idleCount === 0) return undefined;
    const connection = this.#idle.get(visitor);
    if (connection === undefined) return undefined;
    this.remove(connection);
    if (connection.idleSince >= minIdleTick) return connection;
    connection.destroy();
    return undefined;
  }

  /** From now on no other visitor gets the connection. Without `visitor` it is not used again. */
  hold(connection: Connection, visitor: VisitorSocket | undefined): void {
    if (visitor === undefined || visitor.destroyed) {
      connection.signedInVisitor = 'nobody';
      return;
    }
    connection.signedInVisitor = visitor;
    if (this.#idle.has(visitor)) return;
    this.#idle.set(visitor, undefined);
    visitor.once('close', () => {
      const idleConnection = this.#idle.get(visitor);
      idleConnection?.destroy();
      this.#idle.delete(visitor);
    });
  }

  /** Keeps an idle connection for its visitor. False when there are too many, or the visitor has left or has one. */
  put(connection: Connection): boolean {
    const { signedInVisitor } = connection;
    if (signedInVisitor === undefined || signedInVisitor === 'nobody') return false;
    if (this.#idleCount >= this.#max) return false;
    if (!this.#idle.has(signedInVisitor) || this.#idle.get(signedInVisitor) !== undefined)
      return false;
    this.#idle.set(signedInVisitor, connection);
    this.#idleCount++;
    return true;
  }

  remove(connection: Connection): void {
    const { signedInVisitor } = connection;
    if (signedInVisitor === undefined || signedInVisitor === 'nobody') return;
    if (this.#idle.get(signedInVisitor) !== connection) return;
    this.#idle.set(signedInVisitor, undefined);
    this.#idleCount--;
  }
}
