import type { ServerResponse } from 'node:http';

/** A caller that reads nothing of its answer for this time is disconnected. */
const UNREAD_MS = 30_000;

/**
 * Fires when the caller disconnects before it has its answer. Until {@link endWait}, no idle timeout applies to the
 * connection, because a statement can wait for its turn longer than an idle timeout.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  beginWait(response);
  const disconnect = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) disconnect.abort();
  });
  return disconnect.signal;
}

export function beginWait(response: ServerResponse): void {
  response.setTimeout(0);
}

/** From now on, Node disconnects a caller that reads nothing of its answer for {@link UNREAD_MS}. */
export function endWait(response: ServerResponse): void {
  response.setTimeout(UNREAD_MS);
}
