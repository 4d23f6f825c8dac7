import { NOTHING, type Signal } from './signal.ts';

/** What the User-Agent says of itself. Crawlers are crawler.ts. */
export const userAgentSignal: Signal = ({ userAgent, agent, crawler, headers }) => {
  if (crawler) return NOTHING;
  if (userAgent === '') return ['user_agent_missing'];
  if (agent.automation !== undefined || (headers['sec-ch-ua'] ?? '').includes('Headless')) {
    return ['headless_user_agent'];
  }
  return agent.httpClient === undefined ? NOTHING : ['http_client_user_agent'];
};
