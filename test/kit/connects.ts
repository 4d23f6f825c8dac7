import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Waits at most 45 s, while `isAlive` is true, for a program on a loopback port. Returns whether it accepts
 * connections.
 */
export async function connects(port: number, isAlive: () => boolean): Promise<boolean> {
  const deadlineMs = Date.now() + 45_000;
  while (isAlive() && Date.now() < deadlineMs) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    } finally {
      socket.destroy();
    }
  }
  return false;
}
