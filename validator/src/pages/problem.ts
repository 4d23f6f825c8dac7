import { STATUS_CODES as titles } from 'node:http';

export interface ProblemOptions {
  readonly status: number;
  /** Stable identifier for programs, such as `challenge_required` or `blocked`. */
  readonly code: string;
  readonly requestId: string;
  readonly reference: string;
}

export interface RenderedProblem {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Problem details (RFC 9457) for fetch, XHR and API clients, which cannot use a page. The type is `about:blank`, so the
 * title is the title of the status (section 4.2.1). `code` distinguishes the cases.
 */
export function renderProblem(options: ProblemOptions): RenderedProblem {
  const { status, code, requestId, reference } = options;
  return {
    body: `${JSON.stringify({
      type: 'about:blank',
      title: titles[status] ?? 'Request denied',
      status,
      code,
      request_id: requestId,
      reference,
    })}\n`,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'CDN-Cache-Control': 'no-store',
      'Surrogate-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
      Vary: 'Cookie, Accept',
    },
  };
}
