import type { StatusCode } from '@guard/config/contract/validate-response';
import type { Policy } from '../policy/compile-policy.ts';
import { type NoticeOptions, renderNotice } from '../pages/notice-page.ts';
import { renderProblem } from '../pages/problem.ts';
import type { Facts } from '../request/facts.ts';

/** A body for `response_html`, and the headers with which it must be served. */
export interface Body {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

interface Subject {
  readonly facts: Facts;
  readonly requestId: string;
  readonly reference: string;
}

/** The page for a blocked or limited visitor, in the visitor's language. `own` is the organisation's own page. */
export function noticePage(
  content: Pick<NoticeOptions, 'notice' | 'retryAfterS' | 'own'>,
  {
    facts,
    reference,
    policy,
    trap,
  }: Subject & { readonly policy: Pick<Policy, 'look'>; readonly trap: string },
): Body {
  const { html, headers } = renderNotice({
    ...content,
    reference,
    acceptLanguage: facts.headers['accept-language'],
    look: policy.look,
    trap,
  });
  return { bytes: html, headers };
}

/** Problem details (RFC 9457) with a stable code. They contain no fact that helps to evade the rules. */
export function problem(
  code: 'blocked' | 'challenge_required' | 'rate_limited',
  status: StatusCode,
  { facts, requestId, reference }: Subject,
): Body {
  const { body, headers } = renderProblem({ status, code, requestId, reference });
  const bytes = Buffer.from(body);
  const link = code === 'challenge_required' ? boostedLink(facts) : undefined;
  return { bytes, headers: link === undefined ? headers : { ...headers, 'HX-Redirect': link } };
}

/**
 * The target of a link that htmx loads by XHR (hx-boost). With HX-Redirect, htmx loads it as a page, which can pass the
 * challenge. Otherwise the link does nothing. Undefined for other requests, and when the target could name another host.
 */
function boostedLink({ method, headers, url: { path, query } }: Facts): string | undefined {
  if (method !== 'GET' || headers['hx-boosted'] !== 'true') return undefined;
  const target = query === '' ? path : `${path}?${query}`;
  return /^\/(?![\\/])[!-~]*$/.test(target) ? target : undefined;
}
