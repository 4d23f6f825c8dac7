import type { Action } from '@guard/config/contract/event';

/** What happened to a request, or would happen. */
export type Outcome =
  | Action
  /** It passes, and would be stopped without monitor mode. */
  | 'monitored'
  /** The log is one of a server without Guard in front of it. */
  | 'served'
  /** The gateway would not ask about its path. */
  | 'unprotected'
  /** No site has its host: 421. */
  | 'no_site'
  /** The rules of its site are at a remote validator. */
  | 'elsewhere';

/** One request as a log or a stored event describes it. What it does not say is undefined, never empty. */
export interface LoggedRequest {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly ip: string;
  readonly method: string;
  /** As it was sent; undefined where the log does not say. */
  readonly host: string | undefined;
  readonly scheme: 'http' | 'https';
  /** Path and query. */
  readonly target: string;
  /** Empty where the log says that there was none. */
  readonly userAgent: string;
  readonly referrer: string;
  /** All request headers but credentials, names in lower case; undefined where the log has none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** What happened to it. */
  readonly was: Outcome;
  /** Its session, where that was recorded as judged. */
  readonly session: LoggedSession | undefined;
  /** Digest of the session that it came with, judged or not; undefined without one that was known to be real. */
  readonly presented: string | undefined;
  /** Set for questions to `POST /validate`, which no site had. */
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
