import type { ServerResponse } from 'node:http';

/** A caller that reads nothing of its answer for this time is disconnected. */
const UNREAD_MS = 30_000;

/**
 * Fires when the caller disconnects before it has its answer. Until {@link endWait} its connection may be idle: a
 * statement can wait for its turn for longer than that is allowed to others.
 */
export function goneSignal(response: ServerResponse): AbortSignal {
  beginWait(response);
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

export function beginWait(response: ServerResponse): void {
  response.setTimeout(0);
}

/** From now on the caller has to read. Node destroys a connection whose time is up. */
export function endWait(response: ServerResponse): void {
  response.setTimeout(UNREAD_MS);
}
