import type { IpSource, Protocol } from '@guard/config/contract/event';
import type { Clock, Log, SessionStore } from '@guard/config/contract/ports';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { Patience } from '@guard/config/time/patience';
import type { IssueChallenge } from '../challenge/tickets/issue.ts';
import type { IssueTrapLink } from '../challenge/trap-link.ts';
import type { FactSources } from '../request/facts.ts';
import type { TemporaryRules } from '../rules/temporary-rules.ts';
import type { SessionIds } from '../session/session-id.ts';

/** The data that a decision needs. It is built once for each reading of the settings. */
export interface Engine {
  readonly sources: FactSources;
  readonly store: SessionStore;
  /** The time limit for one decision, including its questions to the store (contract 8). */
  readonly patience: Patience;
  readonly ids: SessionIds;
  readonly issue: IssueChallenge;
  readonly issueTrapLink: IssueTrapLink;
  /** Temporary decisions. They are kept over a reload. */
  readonly temporary: TemporaryRules;
  readonly clock: Clock;
  readonly log: Log;
  /** Enforce nothing, record everything. */
  readonly observe: boolean;
  /** DecisionEvent.settingsRevision. */
  readonly settingsRevision: string;
}

/** The caller that asks for a decision, and the URL to which challenge pages for its visitors upload. */
export interface Caller {
  readonly site: string;
  readonly via: 'in-process' | 'api';
  readonly uploadUrl: string;
  /** How the caller found out the visitor's address. */
  readonly ipFrom: IpSource;
  /** Whether the caller reports how each request ended (ResponseExtras.ended). */
  readonly reportsEnd?: true;
  /** As ValidateContext.seesAnswer. */
  readonly seesAnswer?: true | undefined;
  /** Aborted when the caller no longer needs the answer. */
  readonly signal?: AbortSignal | undefined;
  /** The visitor's TLS handshake. Undefined when the caller did not see it. */
  readonly transport?: TransportFacts | undefined;
  /** Only for the event: DecisionEvent.protocol and body. */
  readonly protocol?: Protocol | undefined;
  readonly body?: string | undefined;
}
