import { describe, expect, test } from 'vitest';
import { chromeHttps, curl } from '../../../test/kit/visitors/visitors.ts';
import { changeHeaders, claimOf, factsOf } from './testing/facts.ts';
import { userAgentSignal } from './user-agent.ts';

const reasonsFor = (userAgent: string) => userAgentSignal(factsOf({ 'user-agent': userAgent }));

describe('the claims of a User-Agent (contract 2.2, bot_identity and automated_browser)', () => {
  test('a missing User-Agent is a finding', () => {
    expect(userAgentSignal(factsOf({}))).toEqual(['user_agent_missing']);
  });

  test('an HTTP client is a finding', () => {
    expect(userAgentSignal(factsOf(curl))).toEqual(['http_client_user_agent']);
    expect(reasonsFor('python-requests/2.34.2')).toEqual(['http_client_user_agent']);
  });

  test('the User-Agent or the brands show a headless browser', () => {
    const agent = chromeHttps['user-agent'] ?? '';
    expect(reasonsFor(agent.replace('Chrome/', 'HeadlessChrome/'))).toEqual([
      'headless_user_agent',
    ]);
    const brands = '"HeadlessChrome";v="147", "Not.A/Brand";v="8", "Chromium";v="147"';
    expect(userAgentSignal(factsOf(changeHeaders(chromeHttps, { 'sec-ch-ua': brands })))).toEqual([
      'headless_user_agent',
    ]);
  });

  test.each([['x'], ['Mozilla/5.0'], ['my-script'], ['Mozilla/5.0 (compatible; something)']])(
    'an unknown User-Agent is a finding: %s',
    (agent) => {
      expect(reasonsFor(agent)).toEqual(['user_agent_unknown']);
    },
  );

  test.each([
    ['Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko'],
    ['Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    ],
    [
      'Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474',
    ],
  ])('an old or rare browser is no finding: %s', (agent) => {
    expect(reasonsFor(agent)).toEqual([]);
  });

  test('this signal ignores crawlers', () => {
    expect(userAgentSignal(factsOf(curl, { crawler: claimOf({}) }))).toEqual([]);
  });
});
