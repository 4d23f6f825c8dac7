import type { Socket } from 'node:net';

/** TCP's own probes find a side that vanished behind a long silence. */
const PROBE_AFTER_MS = 60_000;

/** RFC 6455 section 5.5.1: Close with 1001, "going away". A client masks its frames, here with zeros. */
const CLOSE_TO_VISITOR = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
const CLOSE_TO_ORIGIN = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);

/**
 * Watches a tunnel whose sides are joined. A side that has sent its end still gets what the other one sends.
 * The tunnel is over when one side is gone, or takes nothing of what waits for it for `idleMs`. Both
 * sides may be silent for as long as they like.
 *
 * @returns ends the tunnel, and tells both sides that Guard goes away
 */
export function watchTunnel(visitor: Socket, origin: Socket, idleMs: number): () => void {
  watch(visitor, origin, idleMs);
  watch(origin, visitor, idleMs);
  return () => {
    visitor.end(CLOSE_TO_VISITOR);
    origin.end(CLOSE_TO_ORIGIN);
    visitor.destroySoon();
    origin.destroySoon();
  };
}

function watch(from: Socket, to: Socket, idleMs: number): void {
  from.setNoDelay(true);
  from.setKeepAlive(true, PROBE_AFTER_MS);
  from.allowHalfOpen = true;
  from.setTimeout(idleMs).on('timeout', () => {
    if (from.writableLength > 0) from.destroy();
  });
  // 'close' follows each error.
  from.on('error', () => undefined);
  from.once('close', () => {
    to.destroySoon();
  });
}
