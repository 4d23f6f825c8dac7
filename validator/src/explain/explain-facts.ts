import { challengeStateOf, type Facts } from '../request/facts.ts';
import { representationFor, type Representation } from '../request/representation.ts';

/** The facts about a request, as plain data. */
export interface ExplainedFacts {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Every way in which an origin may read the path. The path as sent comes first. */
  readonly readings: readonly string[];
  readonly ip: string;
  /** A kind of network that people seldom use. Null for any other network. */
  readonly network: string | null;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  readonly country: string | null;
  readonly asn: number | null;
  readonly user_agent: string;
  readonly agent: {
    /** Null when the User-Agent claims no browser. */
    readonly engine: string | null;
    readonly major: number;
    readonly platform: string;
    readonly mobile: boolean;
    readonly http_client: string | null;
    readonly automation: string | null;
  };
  readonly crawler: {
    readonly name: string;
    readonly category: string;
    readonly rsl_category: string;
    readonly proof: string;
    readonly allowlisted: boolean;
  } | null;
  /** The agent that signed the request. Null without a valid signature. */
  readonly signed_agent: { readonly name: string; readonly directory: string } | null;
  readonly session: {
    /** The state that rules use. */
    readonly state: Facts['session']['state'];
    /** The state in the event. */
    readonly challenge: string;
    readonly id: string | null;
  };
  /** The form of a denial: a page, or application/problem+json. */
  readonly representation: Representation;
}

export function explainFacts(facts: Facts): ExplainedFacts {
  const { agent, crawler, session } = facts;
  return {
    method: facts.method,
    host: facts.url.host,
    path: facts.url.path,
    readings: facts.paths,
    ip: facts.ip,
    network: facts.network ?? null,
    country: facts.country() || null,
    asn: facts.asn() || null,
    user_agent: facts.userAgent,
    agent: {
      engine: agent.engine ?? null,
      major: agent.major,
      platform: agent.platform,
      mobile: agent.mobile,
      http_client: agent.httpClient ?? null,
      automation: agent.automation ?? null,
    },
    crawler: crawler
      ? {
          name: crawler.name,
          category: crawler.category,
          rsl_category: crawler.rslCategory,
          proof: crawler.proof,
          allowlisted: crawler.allowlisted,
        }
      : null,
    signed_agent: facts.signedAgent ?? null,
    session: {
      state: session.state,
      challenge: challengeStateOf(session),
      id: session.state === 'none' ? null : session.id,
    },
    representation: representationFor(facts),
  };
}
