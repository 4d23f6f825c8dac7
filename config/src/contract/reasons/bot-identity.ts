/** Clients whose own name says that they are a bot or a scripting client, and crawlers (contract 2.2). */
export const botIdentity = {
  http_client_user_agent: {
    category: 'bot_identity',
    strength: 'strong',
    group: 'name',
    meaning: 'The User-Agent names an HTTP library or command-line client.',
  },
  user_agent_missing: {
    category: 'bot_identity',
    strength: 'strong',
    group: 'name',
    meaning: 'No User-Agent was sent.',
  },
  user_agent_unknown: {
    category: 'bot_identity',
    strength: 'strong',
    group: 'name',
    meaning: 'The User-Agent names neither a browser nor a crawler or client that is known.',
  },
  crawler_blocked: {
    category: 'bot_identity',
    strength: 'conclusive',
    group: 'name',
    meaning: 'A known crawler that is not on the allowlist.',
  },
  crawler_unverified: {
    category: 'bot_identity',
    strength: 'strong',
    group: 'name',
    meaning: 'Claims a crawler of the allowlist, and nothing shows that the claim is true.',
  },
  crawler_impersonator: {
    category: 'crawler_impersonator',
    strength: 'conclusive',
    group: 'name',
    meaning: 'Claims a crawler whose operator publishes its addresses, from another address.',
  },
} as const;
