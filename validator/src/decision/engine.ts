import type { IpSource, Protocol } from '@guard/config/contract/event';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { Patience } from '@guard/config/time/patience';
import type { IssueChallenge } from '../challenge/tickets/issue.ts';
import type { IssueTrapLink } from '../challenge/trap-link.ts';
import type { FactSources } from '../request/facts.ts';
import type { TemporaryRules } from '../rules/temporary-rules.ts';
import type { SessionIds } from '../session/session-id.ts';

/** Everything a decision needs, built once. */
export interface Engine {
  readonly sources: FactSources;
  readonly store: SessionStore;
  /** With the store, for one decision (contract 8). */
  readonly patience: Patience;
  readonly ids: SessionIds;
  readonly issue: IssueChallenge;
  readonly issueTrapLink: IssueTrapLink;
  /** What people decided by hand for a while. It stays over reloads. */
  readonly temporary: TemporaryRules;
  readonly clock: Clock;
  readonly log: Log;
  /** Enforce nothing, record everything. */
  readonly observe: boolean;
  /** DecisionEvent.settingsRevision. */
  readonly settingsRevision: string;
}

/** Who asks, and where the challenge page of its visitors uploads to. */
export interface Caller {
  readonly site: string;
  readonly via: 'in-process' | 'api';
  readonly uploadUrl: string;
  /** How the caller came to know the visitor's address. */
  readonly ipFrom: IpSource;
  /** The caller says how each request ended: KnownBesides.ended. */
  readonly tellsEnd?: true;
  /** Ends the question early: its answer is of no use any more. */
  readonly signal?: AbortSignal | undefined;
  /** What the visitor's own handshake showed, where the caller saw it. */
  readonly transport?: TransportFacts | undefined;
  /** Only for the event: DecisionEvent.protocol and body. */
  readonly protocol?: Protocol | undefined;
  readonly body?: string | undefined;
}
