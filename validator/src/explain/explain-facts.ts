import { challengeStateOf, type Facts } from '../request/facts.ts';
import { representationFor } from '../request/representation.ts';

/** The facts about a request, as plain data. */
export type ExplainedFacts = ReturnType<typeof explainFacts>;

export function explainFacts(facts: Facts) {
  const { agent, crawler, session } = facts;
  return {
    method: facts.method,
    host: facts.url.host,
    path: facts.url.path,
    /** All path readings. The path as sent comes first. */
    readings: facts.paths,
    ip: facts.ip,
    /** The kind of network, such as Tor, if people seldom use it. Null for any other network. */
    network: facts.network ?? null,
    /** ISO 3166-1 alpha-2; null when it is not known. */
    country: facts.country() || null,
    asn: facts.asn() || null,
    user_agent: facts.userAgent,
    agent: {
      /** Null when the User-Agent claims no browser. */
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
    /** The agent that signed the request. Null without a valid signature. */
    signed_agent: facts.signedAgent ?? null,
    session: {
      state: session.state,
      challenge: challengeStateOf(session),
      id: session.state === 'none' ? null : session.id,
    },
    /** The form of a denial: a page, or application/problem+json. */
    representation: representationFor(facts),
  };
}
