import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserAgentCatalogue } from './user-agents.ts';

const userAgents = UserAgentCatalogue.load();

describe('an HTTP client is known by its User-Agent', () => {
  test.each([
    ['curl/8.5.0', 'curl'],
    ['curl', 'curl'],
    ['Wget/1.21.4', 'Wget'],
    ['python-requests/2.32.3', 'python-requests'],
    ['python-httpx/0.28.1', 'python-httpx'],
    ['Python/3.12 aiohttp/3.11.11', 'Python'],
    ['Go-http-client/2.0', 'Go-http-client'],
    ['okhttp/4.12.0', 'okhttp'],
    ['Java/17.0.9', 'Java'],
    ['Java-http-client/21.0.5', 'Java-http-client'],
    ['Apache-HttpClient/4.5.14 (Java/17.0.9)', 'Apache-HttpClient'],
    ['axios/1.7.9', 'axios'],
    ['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'node-fetch'],
    ['node', 'node'],
    ['undici', 'undici'],
    ['got (https://github.com/sindresorhus/got)', 'got'],
    ['libwww-perl/6.77', 'libwww-perl'],
    ['PHP/8.3.1', 'PHP'],
    ['GuzzleHttp/7', 'GuzzleHttp'],
    ['Ruby', 'Ruby'],
    ['Scrapy/2.12.0 (+https://scrapy.org)', 'Scrapy'],
    ['HTTPie/3.2.4', 'HTTPie'],
    ['PostmanRuntime/7.43.0', 'PostmanRuntime'],
    ['insomnia/10.3.0', 'insomnia'],
    ['Dart/3.6 (dart:io)', 'Dart'],
    ['reqwest/0.12.12', 'reqwest'],
    ['hyper/1.5', 'hyper'],
    ['Faraday v2.12.2', 'Faraday'],
    ['RestSharp/112.1.0.0', 'RestSharp'],
    ['Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)', 'WinHttp'],
    [
      'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041',
      'WindowsPowerShell',
    ],
    ['colly - https://github.com/gocolly/colly', 'colly'],
    ['k6/0.55.0 (https://k6.io/)', 'k6'],
    ['ApacheBench/2.3', 'ApacheBench'],
    ['hey/0.0.1', 'hey'],
    ['sqlmap/1.8#stable (https://sqlmap.org)', 'sqlmap'],
  ])('%s', (userAgent, token) => {
    expect(userAgents.httpClientToken(userAgent)).toBe(token);
    expect(userAgents.automationToken(userAgent)).toBeUndefined();
  });
});

describe('an automated browser is known by its User-Agent', () => {
  test.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36',
      'HeadlessChrome',
    ],
    [
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
      'PhantomJS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/120.0.0.0 Safari/537.36 Playwright/1.40', 'Playwright'],
    ['Lightpanda/1.0', 'Lightpanda'],
  ])('%s', (userAgent, token) => {
    expect(userAgents.automationToken(userAgent)).toBe(token);
  });
});

test('no browser that people use is identified as an HTTP client or as automation', () => {
  const browsers = readFileSync(
    join(import.meta.dirname, 'fixtures/browser-user-agents.txt'),
    'utf8',
  )
    .split('\n')
    .filter((line) => line !== '');
  expect(browsers.some((line) => line.includes('Electron/'))).toBe(true);
  for (const userAgent of browsers) {
    expect(userAgents.httpClientToken(userAgent), userAgent).toBeUndefined();
    expect(userAgents.automationToken(userAgent), userAgent).toBeUndefined();
  }
});
