import type { Action } from '@guard/config/contract/event';

/** The recorded or computed result of a request. */
export type Outcome =
  | Action
  /** It passes, and would be stopped without monitor mode. */
  | 'monitored'
  /** The log is from a server without Guard. */
  | 'served'
  /** The gateway would not ask about its path. */
  | 'unprotected'
  /** No site has its host: 421. */
  | 'no_site'
  /** The rules of its site are at a remote validator. */
  | 'elsewhere';

/** One request from a log or a stored event. Unknown fields are undefined and never empty. */
export interface LoggedRequest {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly ip: string;
  readonly method: string;
  /** As sent. Undefined when the log does not have it. */
  readonly host: string | undefined;
  readonly scheme: 'http' | 'https';
  /** Path and query. */
  readonly target: string;
  /** Empty when the log says that there was none. */
  readonly userAgent: string;
  readonly referrer: string;
  /** All request headers without credentials, with names in lower case. Undefined when the log has none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The recorded result. */
  readonly was: Outcome;
  /** Its session, if it was recorded as judged. */
  readonly session: LoggedSession | undefined;
  /** Digest of the session that came with it, judged or not. Undefined unless it was known to be real. */
  readonly presented: string | undefined;
  /** Set for questions to `POST /validate`, which have no site. */
  readonly organisation: string | undefined;
}

export interface LoggedSession {
  /** Digest, 32 hex digits. */
  readonly digest: string;
  readonly state: 'verified' | 'rejected';
  /** Why it was rejected. */
  readonly reasons: readonly string[];
}

export type LineReading =
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  /** `reason` is a phrase. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export function unreadable(reason: string): LineReading {
  return { kind: 'unreadable', reason };
}
