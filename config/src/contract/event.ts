import type { Reason } from './reasons.ts';
import type { TraceIds } from './tracing.ts';
import type { Decision } from './validate-response.ts';

export type Action = 'allow' | 'block' | 'challenge' | 'limited';

/** The verdict before monitor mode, observe mode or a fail policy changed it. */
type Conclusion = Action | 'none';

export type ChallengeState = 'none' | 'issued' | 'verified' | 'rejected' | 'failed';

/** The source of the visitor's address: the connection, a trusted proxy's header, or the caller of `POST /validate`. */
export type IpSource = 'peer' | 'x-forwarded-for' | 'forwarded' | 'caller';

/**
 * How long the stages of a decision took, in microseconds. The rest of the decision's time was needed to create and
 * write the answer.
 */
export interface StageTimes {
  /** Reading the request. */
  readonly facts: number;
  /** Asking the store for the session. */
  readonly session: number;
  /** Rules, detection, and the budget of a rate limit. */
  readonly verdict: number;
}

export interface CrawlerFact {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly rslCategory: string;
  /** Whether the claim was verified: by the operator's published ranges, its host names, or its signature. */
  readonly verified: boolean;
}

/** The agent that signed a request. Its User-Agent does not matter. */
export interface SignedAgentFact {
  /** The name in the settings. */
  readonly name: string;
  /** The origin that publishes its keys. Empty for a key that comes from a file in the settings. */
  readonly directory: string;
}

/** The version of HTTP in which a request came to the gateway, as access logs write it. */
export type Protocol = 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2.0';

/**
 * Contract 2.7: one recorded decision. The validator creates it. When the validator gives no answer, the gateway
 * creates it.
 *
 * `headers` are unchanged. Requests with the same headers share one object. SECRET_HEADERS must be dropped before an
 * event leaves the process.
 *
 * The gateway writes the result of the request into the event, and then records it.
 */
export interface DecisionEvent {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** UUIDv7. */
  readonly requestId: string;
  readonly organisation: string;
  readonly site: string;
  readonly action: Action;
  readonly decision: Conclusion;
  /** The same result in the words of the wire contract. */
  readonly response: Decision;
  /**
   * The status that the visitor gets. Until the gateway knows it, and for other callers, this is the decided status.
   */
  statusCode: number;
  /** The status of the origin's answer. 0 or undefined when no origin has answered. */
  originStatus?: number;
  /** Microseconds until the origin's header section had arrived. */
  originUs?: number;
  /** Name of the rule that decided. Empty when no rule decided. */
  readonly rule: string;
  readonly monitor: boolean;
  readonly observe: boolean;
  readonly rateLimited: boolean;
  readonly blockReasons: readonly string[];
  readonly blockReasonCategories: readonly string[];
  readonly crawler: CrawlerFact | undefined;
  /** The agent that signed the request. Undefined or absent when there is no valid signature. */
  readonly signedAgent?: SignedAgentFact | undefined;
  readonly method: string;
  readonly scheme: string;
  /** The version of HTTP. Empty or undefined when the request did not come to the gateway itself. */
  readonly protocol?: Protocol | '';
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly referrerOrigin: string;
  /** Normalised: IPv4, or IPv6 without a zone. A v4-mapped address is written as IPv4. */
  readonly ip: string;
  readonly ipFrom?: IpSource;
  /** Autonomous system of the address. 0 or undefined when it is unknown. */
  readonly asn?: number;
  /** The holder of that system. Empty or undefined when it is unknown. */
  readonly asnName?: string;
  /** The country of the address as an ISO 3166-1 alpha-2 code, or empty. */
  readonly country: string;
  readonly userAgent: string;
  /** All findings of detection, also findings that did not change the decision. */
  readonly findings?: readonly Reason[];
  /** The points of each finding for this organisation (strengths.ts), in the same order. */
  readonly findingPoints?: readonly number[];
  /** The digest of the session (contract/session-digest), because the id is a credential. Empty without a session. */
  readonly session: string;
  /** The digest of the session that came with the request. Empty or undefined when none came. */
  readonly sessionSent?: string;
  readonly challenge: ChallengeState;
  /** The reference code on a page of Guard. An error page of the gateway has one too. */
  reference: string;
  readonly validator: 'in-process' | 'api' | 'remote';
  /** How long the decision took, in microseconds. */
  readonly durationUs: number;
  /** The revision of the settings that decided (settings/derived/revision.ts). */
  readonly settingsRevision?: string;
  /** The ids of the request's span. Only the log gets them. Undefined without tracing. */
  trace?: TraceIds;
  readonly stagesUs?: StageTimes;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The first bytes of the body as text, without the values of fields with secret names. Empty or absent when the site
   * keeps no sample.
   */
  readonly body?: string;
  /** JA4 of the visitor's TLS handshake. Empty or undefined when the gateway did not see it. */
  readonly ja4?: string;
  /** The fingerprint of the HTTP/2 handshake: contract/transport.ts. */
  readonly http2?: string;
}
