import type { Action } from '@guard/config/contract/event';

/** The result of a request, recorded or computed. */
export type Outcome =
  | Action
  /** The request passes, but without monitor mode or observe mode it would be blocked or limited. */
  | 'monitored'
  /** The log comes from a server without Guard. */
  | 'served'
  /** The gateway does not ask the validator about this path. */
  | 'unprotected'
  /** The settings have no site with this host, so the answer is 421. */
  | 'no_site'
  /** A remote validator has the rules of this site, so they are unknown here. */
  | 'elsewhere';

/** One request from a log or a stored event. A field whose type allows undefined is undefined when it is not known. */
export interface LoggedRequest {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly ip: string;
  readonly method: string;
  /** The host as the visitor sent it. Undefined when the log does not have the host. */
  readonly host: string | undefined;
  readonly scheme: 'http' | 'https';
  /** The path and the query string. */
  readonly target: string;
  /** Empty when the log says that the request had no User-Agent. */
  readonly userAgent: string;
  /** Empty when the log does not have the referrer, or the request had none. */
  readonly referrer: string;
  /** All request headers without credentials, with names in lower case. Undefined when the log has none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly recordedOutcome: Outcome;
  /** The session of the request. Undefined unless the event says that the session was verified or rejected. */
  readonly session: LoggedSession | undefined;
  /** Digest of the session id that the visitor sent, if Guard had issued it. */
  readonly sentSessionDigest: string | undefined;
  /** Set for questions to `POST /validate`, because they have no site. */
  readonly organisation: string | undefined;
}

/** The fields that are the same for every request in a log of a server without Guard. */
export const WITHOUT_GUARD = {
  recordedOutcome: 'served',
  session: undefined,
  sentSessionDigest: undefined,
  organisation: undefined,
} as const;

export interface LoggedSession {
  /** The digest of the session: 32 hex digits. */
  readonly digest: string;
  readonly state: 'verified' | 'rejected';
  /** The reasons why the session was rejected. */
  readonly reasons: readonly string[];
}

export type LineReading =
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  /** `reason` is a part of a sentence, and the report adds the rest. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export function unreadable(reason: string): LineReading {
  return { kind: 'unreadable', reason };
}
