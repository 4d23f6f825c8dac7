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
    crawler_blocked: conclusive(
      'name',
      'The User-Agent names a known crawler that is not on the allowlist.',
    ),
    crawler_unverified: strong(
      'name',
      'The User-Agent names a crawler of the allowlist, but nothing proves the claim.',
    ),
  }),
  ...inCategory('crawler_impersonator', {
    crawler_impersonator: conclusive(
      'name',
      'The User-Agent names a crawler, but the address is none of those that its operator publishes.',
    ),
  }),
};
