import { STATUS_CODES as titles } from 'node:http';
import { DENIAL_HEADERS } from './page-headers.ts';

interface ProblemOptions {
  readonly status: number;
  /** Stable identifier for programs, such as `challenge_required` or `blocked`. */
  readonly code: string;
  readonly requestId: string;
  readonly reference: string;
}

interface RenderedProblem {
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
      ...DENIAL_HEADERS,
      'Content-Type': 'application/problem+json',
      // A service worker cannot store an answer that varies by everything. Some workers store each answer for ever.
      Vary: '*',
    },
  };
}
