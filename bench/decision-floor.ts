/**
 * Measures the minimum cost of a decision on the visitors of bench/decision-visitors.ts in this language: the same
 * look-ups in the same tables, the twenty rules, the budget, the answer and the event, written by hand in one function.
 * Such code cannot be maintained. The comparison shows the cost of Guard's layers.
 */
import { openCountries } from '@guard/config/catalogue/countries';
import type { NetworkCatalogue } from '@guard/config/catalogue/networks';
import { mintRequestId } from '@guard/config/contract/request-id';
import type { Session } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { ORGANISATION, type Visitor } from './decision-visitors.ts';

type Headers = Readonly<Record<string, string>>;

const PLAIN_PATH = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._~!$&'()*+,=:@-]*)+$/;
const office = PrefixSet.from(['203.0.113.0/24', '198.51.100.0/24', '2001:db8::/32']);
const rangeOfTen = PrefixSet.from(['10.0.0.0/8']);

export type Floor = (request: ValidateRequest, site: string) => { readonly decision: string };

/** Returns the floor for these visitors. It puts events into `ring`. The length of `ring` is a power of two. */
export function createFloor(
  visitors: readonly Visitor[],
  networks: NetworkCatalogue,
  ring: unknown[],
): Floor {
  const countryOf = openCountries();
  const browsers = new Map<string, string>();
  const sessions = new Map<string, Session>();
  const arrivals = new Map<string, number>();
  for (const { request, sessionId, session } of visitors) {
    browsers.set(request.headers?.['user-agent'] ?? '', session.userAgentHash);
    sessions.set(sessionId, session);
  }
  let recordedEvents = 0;

  return (request, site) => {
    const startedAt = performance.now();
    const now = Date.now();
    const { url, ip, method = 'GET', headers = {} } = request;
    const hostAt = url.indexOf('://') + 3;
    const pathAt = url.indexOf('/', hostAt);
    const queryAt = url.indexOf('?', pathAt);
    const path = url.slice(pathAt, queryAt);
    const userAgent = headers['user-agent'] ?? '';
    const cookie = headers['cookie'] ?? '';
    const idAt = cookie.indexOf('_guard=') + 7;
    const id = cookie.slice(idAt, idAt + 36);
    const isVerifiedVisitor = isVerified(sessions.get(id), browsers.get(userAgent));
    const network = networks.kindOf(ip);
    const country = countryOf(ip) ?? '';
    const isOddRequest = network !== undefined || !browsers.has(userAgent) || isOdd(headers);
    const key = `${ORGANISATION} session:${id} everyone's budget`;
    const arrival = Math.max(arrivals.get(key) ?? now, now);
    if (arrival - now > 60_000 || !PLAIN_PATH.test(path) || !isLowerCase(headers) || isOddRequest) {
      throw new Error('the floor is for the visitors of this bench');
    }
    arrivals.set(key, arrival + 0.6);
    if (
      isBlocked(path, method, userAgent, headers, country, ip) ||
      isStrict(path, method, isVerifiedVisitor)
    ) {
      throw new Error('the visitors of this bench pass');
    }
    const requestId = mintRequestId(now);
    const index = recordedEvents++ & (ring.length - 1);
    ring[index] = {
      createdAt: now,
      requestId,
      organisation: ORGANISATION,
      site,
      action: 'allow',
      decision: 'allow',
      response: 'allow',
      statusCode: 200,
      rule: 'everybody',
      monitor: false,
      observe: false,
      rateLimited: false,
      blockReasons: [],
      blockReasonCategories: [],
      crawler: undefined,
      method,
      scheme: 'https',
      host: url.slice(hostAt, pathAt),
      path,
      query: url.slice(queryAt + 1),
      referrerOrigin: '',
      ip,
      country,
      userAgent,
      session: id,
      challenge: 'verified',
      reference: '',
      validator: 'in-process',
      durationUs: Math.round((performance.now() - startedAt) * 1000),
      headers,
    };
    return { success: true, decision: 'allow', status_code: 200, request_id: requestId };
  };
}

function isVerified(session: Session | undefined, userAgentHash: string | undefined): boolean {
  return (
    session?.state === 'verified' &&
    session.organisation === ORGANISATION &&
    session.userAgentHash === userAgentHash
  );
}

function isOdd(headers: Headers): boolean {
  return (
    headers['accept'] === undefined ||
    headers['accept-language'] === undefined ||
    headers['accept-encoding'] === undefined ||
    headers['sec-fetch-mode'] === undefined ||
    headers['sec-fetch-dest'] === undefined ||
    headers['sec-fetch-site'] === undefined
  );
}

function isLowerCase(headers: Headers): boolean {
  for (const name in headers) if (name !== name.toLowerCase()) return false;
  return true;
}

function isStrict(path: string, method: string, isVerifiedVisitor: boolean): boolean {
  const isWrite = method === 'PUT' || method === 'PATCH' || method === 'DELETE';
  return !isVerifiedVisitor && (isWrite || path.startsWith('/checkout/'));
}

function isBlocked(
  path: string,
  method: string,
  userAgent: string,
  headers: Headers,
  country: string,
  ip: string,
): boolean {
  if (office.has(ip) || (path === '/healthz' && method === 'GET')) return false;
  return (
    isForbidden(path, country) ||
    (path.startsWith('/admin/') && !rangeOfTen.has(ip)) ||
    userAgent.includes('scrapy') ||
    userAgent.includes('HTTrack') ||
    headers['x-scanner'] !== undefined
  );
}

function isForbidden(path: string, country: string): boolean {
  return (
    path.startsWith('/api/v1/') ||
    path === '/wp-login.php' ||
    path.startsWith('/wp-admin/') ||
    path === '/xmlrpc.php' ||
    path.includes('/.env') ||
    path.includes('/.git') ||
    path.includes('/.aws') ||
    (path.startsWith('/export/') && (country === 'KP' || country === 'IR' || country === 'SY'))
  );
}
