import { NO_REASONS, type Signal } from './signal.ts';

/**
 * Finds a missing or unknown User-Agent, and the names of HTTP clients and automation tools. crawler.ts judges
 * crawlers.
 */
export const userAgentSignal: Signal = ({ userAgent, agent, crawler, headers }) => {
  if (crawler) return NO_REASONS;
  if (userAgent === '') return ['user_agent_missing'];
  if (agent.automation !== undefined || headers['sec-ch-ua']?.includes('Headless') === true) {
    return ['headless_user_agent'];
  }
  if (agent.httpClient !== undefined) return ['http_client_user_agent'];
  return agent.recognised ? NO_REASONS : ['user_agent_unknown'];
};
