import { inCategory, conclusive, strong } from '../reason-entry.ts';

/** Clients whose own name says that they are a bot or a scripting client, and crawlers (contract 2.2). */
export const botIdentity = {
  ...inCategory('bot_identity', {
    http_client_user_agent: strong(
      'name',
      'The User-Agent names an HTTP library or command-line client.',
    ),
    user_agent_missing: strong('name', 'No User-Agent was sent.'),
    user_agent_unknown: strong(
      'name',
      'The User-Agent names neither a browser nor a crawler or client that is known.',
    ),
    crawler_blocked: conclusive('name', 'A known crawler that is not on the allowlist.'),
    crawler_unverified: strong(
      'name',
      'Claims a crawler of the allowlist, and nothing shows that the claim is true.',
    ),
  }),
  ...inCategory('crawler_impersonator', {
    crawler_impersonator: conclusive(
      'name',
      'Claims a crawler whose operator publishes its addresses, from another address.',
    ),
  }),
};
