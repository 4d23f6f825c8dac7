import type { IpSource, Protocol } from '@guard/config/contract/event';
import type { Clock, Log, Metrics, SessionStore } from '@guard/config/contract/ports';
import type { TransportFacts } from '@guard/config/contract/transport';
import type { Patience } from '@guard/config/time/patience';
import type { IssueChallenge } from '../challenge/tickets/issue.ts';
import type { IssueTrapLink } from '../challenge/trap-link.ts';
import type { FactSources } from '../request/facts.ts';
import type { TemporaryRules } from '../rules/temporary-rules.ts';
import type { SessionIds } from '../session/session-id.ts';

/** The data that a decision needs. The validator builds it once for each reading of the settings. */
export interface Engine {
  readonly sources: FactSources;
  readonly store: SessionStore;
  /** The time limit for one decision, including its questions to the store (contract 8). */
  readonly patience: Patience;
  readonly ids: SessionIds;
  readonly issue: IssueChallenge;
  readonly issueTrapLink: IssueTrapLink;
  /** Temporary decisions. A reload keeps them. */
  readonly temporary: TemporaryRules;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'count'>;
  /** True in observe mode: Guard records everything and enforces nothing. */
  readonly observe: boolean;
  /** The value for DecisionEvent.settingsRevision. */
  readonly settingsRevision: string;
}

/** The caller that asks for a decision, and the URL to which challenge pages for its visitors upload. */
export interface Caller {
  readonly site: string;
  readonly via: 'in-process' | 'api';
  readonly uploadUrl: string;
  /** From which source the caller has the visitor's address. */
  readonly ipFrom: IpSource;
  /** Whether the caller reports how each request ended (ResponseExtras.ended). */
  readonly reportsEnd?: true;
  /** The value of ValidateContext.seesAnswer. */
  readonly seesAnswer?: true | undefined;
  /** The signal aborts when the caller no longer needs the answer. */
  readonly signal?: AbortSignal | undefined;
  /** The visitor's TLS handshake. Undefined when the caller did not see it. */
  readonly transport?: TransportFacts | undefined;
  /** `protocol` and `body` are only recorded, in fields of the event with these names. */
  readonly protocol?: Protocol | undefined;
  readonly body?: string | undefined;
}
