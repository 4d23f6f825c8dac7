import type { Socket } from 'node:net';

/** TCP's own probes find a side that vanished behind a long silence. */
const PROBE_AFTER_MS = 60_000;

/** One side of a tunnel, with what it has sent of the tunnel's bytes already. */
export interface TunnelEnd {
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * Carries bytes both ways between two sockets, each read no faster than the other takes them. A side that
 * has said its last word still hears the other one. The tunnel is over when one side is gone, or takes
 * nothing of what is on its way to it for `idleMs`: of a side that waits, nothing else would show that the
 * other one has left. How long both are silent is their own matter.
 */
export function joinSockets(visitor: TunnelEnd, origin: TunnelEnd, idleMs: number): void {
  carry(visitor, origin.socket, idleMs);
  carry(origin, visitor.socket, idleMs);
}

function carry({ socket: from, head }: TunnelEnd, to: Socket, idleMs: number): void {
  from.setNoDelay(true);
  from.setKeepAlive(true, PROBE_AFTER_MS);
  from.allowHalfOpen = true;
  from.setTimeout(idleMs).on('timeout', () => {
    if (from.writableLength > 0) from.destroy();
  });
  // 'close' follows and says all there is to know.
  from.on('error', () => undefined);
  from.once('close', () => {
    to.destroySoon();
  });
  if (head.length > 0) to.write(head);
  from.pipe(to);
}
