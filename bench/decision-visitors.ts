import type { Session } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { hashUserAgent } from '@guard/validator';
import { chromeHttps } from '../test/kit/visitors/visitors.ts';

/** The visitors and rules of the decision bench. They are the same for Guard and for the floor. */

export const ORGANISATION = 'acme';
const AGENTS = 2_000;
export const VISITORS = 20_000;

/** Twenty typical rules. With the last rule, the findings decide about all visitors. */
export const RULES = `
- { name: office, match: { ip: [203.0.113.0/24, 198.51.100.0/24, 2001:db8::/32] }, verdict: allow }
- { name: health, match: { path: /healthz, method: GET }, verdict: allow }
- { name: old api, match: { path: /api/v1/** }, verdict: block, status: 404 }
- { name: scrapers, match: { user_agent: ['*scrapy*', '*HTTrack*'] }, verdict: block }
- { name: training crawlers, match: { crawler: { rsl_category: ai-train } }, verdict: block, status: 451 }
- { name: impostors, match: { crawler: { verified: false, rsl_category: search } }, verdict: block }
- { name: admin, match: { path: /admin/**, not: { ip: 10.0.0.0/8 } }, verdict: block }
- { name: wordpress, match: { path: [/wp-login.php, /wp-admin/**, /xmlrpc.php] }, verdict: block, status: 404 }
- { name: dotfiles, match: { path: { regex: '/\\.(env|git|aws)' } }, verdict: block, status: 404 }
- { name: embargo, match: { path: /export/**, country: [KP, IR, SY] }, verdict: block, status: 451 }
- { name: tool, match: { header: { x-scanner: '*' } }, verdict: block }
- { name: feed, match: { path: [/feed.xml, /sitemap.xml] }, detect: false }
- { name: login budget, match: { path: /login, method: POST }, rate_limit: { requests: 10, per: 1m, by: ip } }
- { name: search budget, match: { path: /search }, rate_limit: { requests: 30, per: 1m, by: session } }
- { name: everyone's budget, match: {}, rate_limit: { requests: 100000, per: 1m, by: session } }
- { name: checkout, match: { path: /checkout/** }, detect: true, challenge: always }
- { name: partner, match: { host: partner.shop.example, header: { x-partner: { regex: '^[a-z]+$' } } }, verdict: allow }
- { name: writes, match: { any: [{ method: PUT }, { method: PATCH }, { method: DELETE }] }, detect: true, challenge: always }
- { name: beta, match: { host: beta.shop.example, not: { session: verified } }, challenge: always }
- { name: everybody, match: {}, detect: true }`;

/**
 * The User-Agent is that of an older Chrome on Android, with the model of the phone, because there are many such real
 * strings.
 */
export function agentOf(number: number | string): Readonly<Record<string, string>> {
  const model = `SM-G${number}F`;
  return {
    host: 'shop.example',
    connection: 'keep-alive',
    'upgrade-insecure-requests': '1',
    'user-agent': `Mozilla/5.0 (Linux; Android 10; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.181 Mobile Safari/537.36`,
    accept: chromeHttps['accept'] ?? '',
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'sec-fetch-dest': 'document',
    'accept-encoding': 'gzip, deflate, br',
    'accept-language': 'en-GB,en;q=0.9',
  };
}

export interface Visitor {
  readonly request: ValidateRequest;
  readonly sessionId: string;
  readonly session: Session;
}

/** 20,000 visitors, each with an address and a verified session. They share 2,000 User-Agents. */
export function visitors(): Visitor[] {
  return Array.from({ length: VISITORS }, (_, number) => visitorOf(number));
}

function visitorOf(number: number): Visitor {
  const headers = agentOf(number % AGENTS);
  const sessionId = `${number.toString(16).padStart(8, '0')}-d9cb-869f-8165-70867728950e`;
  const ip = addressOf(number);
  return {
    request: {
      url: `https://shop.example/products/${number}?colour=blue`,
      ip,
      method: 'GET',
      headers: { ...headers, cookie: `theme=dark; _guard=${sessionId}; basket=${number}` },
    },
    sessionId,
    session: {
      organisation: ORGANISATION,
      state: 'verified',
      reasons: [],
      userAgentHash: hashUserAgent(headers['user-agent'] ?? ''),
      network: `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`,
      client: 'https  ',
      judgedAt: Date.now(),
      newest: sessionId,
    },
  };
}

/** Returns an address in the /11 of an access provider. One visitor in five has an IPv6 address. */
export function addressOf(number: number): string {
  return number % 5 === 4
    ? `2a02:1748:${(number >> 8).toString(16)}:${(number & 255).toString(16)}::1`
    : `84.${96 + (number % 32)}.${(number >> 5) & 255}.${(number * 7) & 255}`;
}
