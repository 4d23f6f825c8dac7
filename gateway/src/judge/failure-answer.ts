import type { Inquiry } from '../arrive/arrive.ts';
import { singleValues } from '../message/message.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';

/** The statuses that the gateway sends when the origin gives no answer (RFC 9110 section 15.6). */
type FailureStatus = 502 | 503 | 504;

/**
 * The seconds after which the visitor may try again. An answer with 502 or 504 has no such time, because Guard does not
 * know when the origin will answer again.
 */
const RETRY_AFTER_S: Readonly<Partial<Record<FailureStatus, number>>> = { 503: 1 };

const SHORT_ANSWERS: Readonly<Record<FailureStatus, OwnAnswer>> = {
  502: plainAnswer(502, 'The site cannot be reached.'),
  503: plainAnswer(503, 'The site is busy.', 'Retry-After', String(RETRY_AFTER_S[503])),
  504: plainAnswer(504, 'The site took too long to answer.'),
};

interface FailureAnswer {
  readonly answer: OwnAnswer;
  /** The reference code on the page. Empty when the answer is not a page. */
  readonly reference: string;
}

/** A short text. A WebSocket handshake always gets it, because no person sees the answer. */
export function shortFailure(status: FailureStatus): OwnAnswer {
  return SHORT_ANSWERS[status];
}

/** The page of the site when the request is for a page. Otherwise a short text. */
export function failureAnswer(
  { site, req }: Pick<Inquiry, 'site' | 'req'>,
  status: FailureStatus,
): FailureAnswer {
  const retryAfterS = RETRY_AFTER_S[status];
  const headers = singleValues(req.headers);
  const page = site.config.failurePage?.({ status, headers, retryAfterS });
  if (page === undefined) return { answer: SHORT_ANSWERS[status], reference: '' };
  const fields = Object.entries(page.headers).flat();
  if (retryAfterS !== undefined) fields.push('Retry-After', String(retryAfterS));
  return { answer: { status, fields, body: page.html }, reference: page.reference };
}
