import type {
  Cookie,
  Crawler,
  StatusCode,
  ValidateResponse,
} from '@guard/config/contract/validate-response';
import { categoriesOf } from '@guard/config/contract/reasons';
import type { Policy } from '../policy/compile-policy.ts';
import type { Facts } from '../request/facts.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { ACCEPTED_SIGNATURE } from '../proofs/web-bot-auth.ts';
import { representationFor } from '../request/representation.ts';
import { ROBOTS_HEADERS } from '../policy/robots.ts';
import { type Body, noticePage, problem } from './bodies.ts';

const DEFAULT_STATUS = { allow: 200, block: 403, challenge: 403, limited: 429 } as const;

/** The input for a response, besides the verdict. */
export interface Rendering {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly requestId: string;
  readonly reference: string;
  readonly cookies: readonly Cookie[];
  /** URL of the hidden link on a page of Guard. Empty when there is no link. */
  readonly trap: string;
  /** The challenge page. Undefined when the answer is no challenge page, or when its creation failed. */
  readonly interstitial: Body | undefined;
  /** Whether Guard can check signatures, and the request has no valid signature. */
  readonly signatureWanted: boolean;
}

type Draft = { -readonly [Field in keyof ValidateResponse]: ValidateResponse[Field] };

interface Rendered {
  readonly response: ValidateResponse;
  /** The value for ResponseExtras.body. */
  readonly body: Buffer | undefined;
}

/** Turns a verdict into the response on the wire (contract 2.2). A field without a value is left out. */
export function render(verdict: Verdict, rendering: Rendering): Rendered {
  const { facts, policy, requestId, cookies } = rendering;
  const body = bodyOf(verdict, rendering);
  const crawler = facts.crawler && policy.features.crawler_metadata ? crawlerOf(facts) : undefined;
  const country = verdict.kind === 'allow' && policy.features.country ? facts.country() : '';
  const response: Draft = {
    success: true,
    decision: decisionOf(verdict, rendering),
    status_code: statusOf(verdict),
    request_id: requestId,
  };
  if (body) {
    response.headers = headersOf(verdict, body, rendering);
    const { bytes } = body;
    const get = () => bytes.toString('base64');
    Object.defineProperty(response, 'response_html', { get, enumerable: true });
  }
  if (cookies.length > 0) response.cookies = [...cookies];
  if (crawler) response.crawler = crawler;
  if (verdict.reasons.length > 0) {
    response.block_reasons = [...verdict.reasons];
    response.block_reason_categories = categoriesOf(verdict.reasons);
  }
  if (country !== '') response.country_code = country;
  if (verdict.kind === 'limited') {
    response.rate_limited = true;
    response.retry_after = secondsOf(verdict.retryAfterMs);
  }
  return { response, body: body?.bytes };
}

function statusOf(verdict: Verdict): StatusCode {
  switch (verdict.kind) {
    case 'allow':
    case 'challenge':
      return DEFAULT_STATUS[verdict.kind];
    case 'block':
    case 'limited':
      return verdict.by.status ?? DEFAULT_STATUS[verdict.kind];
  }
}

/** A block with the organisation's own page is reported as `redirect` (contract 2.2). */
function decisionOf(verdict: Verdict, rendering: Rendering): ValidateResponse['decision'] {
  switch (verdict.kind) {
    case 'allow':
      return 'allow';
    case 'challenge':
      return 'redirect';
    case 'block':
      return hasOwnPage(verdict, rendering) ? 'redirect' : 'block';
    case 'limited':
      return 'block';
  }
}

function bodyOf(verdict: Verdict, rendering: Rendering): Body | undefined {
  switch (verdict.kind) {
    case 'allow':
      return robotsOf(rendering);
    case 'challenge':
      return representationFor(rendering.facts) === 'html'
        ? rendering.interstitial
        : problem('challenge_required', statusOf(verdict), rendering);
    case 'block':
      if (representationFor(rendering.facts) === 'problem') {
        return problem('blocked', statusOf(verdict), rendering);
      }
      return noticePage(
        {
          // For status 429, the page advises to wait. For other statuses, it gives other advice.
          notice: statusOf(verdict) === 429 ? 'rateLimited' : 'blocked',
          own: rendering.policy.ownPages.find('blocked', verdict.by),
        },
        rendering,
      );
    case 'limited':
      if (representationFor(rendering.facts) === 'problem') {
        return problem('rate_limited', statusOf(verdict), rendering);
      }
      return noticePage(
        {
          notice: 'rateLimited',
          own: rendering.policy.ownPages.find('rateLimited', verdict.by),
          retryAfterS: secondsOf(verdict.retryAfterMs),
        },
        rendering,
      );
  }
}

/** Whether the visitor gets the organisation's own page. A client that gets no pages never gets it. */
function hasOwnPage(verdict: Verdict & { kind: 'block' }, { facts, policy }: Rendering): boolean {
  if (representationFor(facts) === 'problem') return false;
  return policy.ownPages.find('blocked', verdict.by) !== undefined;
}

function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000);
}

/**
 * Adds Accept-Signature to a 403. The header only shows that Guard checks signatures. A signed request can still be
 * denied.
 */
function headersOf(
  verdict: Verdict,
  { headers }: Body,
  { signatureWanted }: Rendering,
): Body['headers'] {
  if (!signatureWanted || statusOf(verdict) !== 403) return headers;
  return { ...headers, 'Accept-Signature': ACCEPTED_SIGNATURE };
}

function robotsOf({ facts, policy }: Rendering): Body | undefined {
  const isAsked = policy.robots !== undefined && facts.url.path === '/robots.txt';
  return isAsked && (facts.method === 'GET' || facts.method === 'HEAD')
    ? { bytes: policy.robots, headers: ROBOTS_HEADERS }
    : undefined;
}

function crawlerOf({ crawler }: Facts): Crawler | undefined {
  return (
    crawler && {
      id: crawler.id,
      name: crawler.name,
      access_allowed: crawler.verified && crawler.allowlisted,
      category: crawler.category,
      rsl_category: crawler.rslCategory,
    }
  );
}
